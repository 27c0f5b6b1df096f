"use strict";

// ------------------------------------------------------------------------------------ sorting
// Click a heading to sort by its column, click again to reverse the order. Cells without a value come last, and
// equal ones keep the order of the file: items may share a value, and the best of them comes first.

const words = new Intl.Collator(undefined, { numeric: true });

function sortBy(head, order) {
  const body = head.closest("table").tBodies[0];
  const heads = [...head.parentElement.cells];
  const column = heads.indexOf(head);
  const sign = order === "ascending" ? 1 : -1;
  const value = (row) => row.cells[column].dataset.value;

  const compare = (a, b) => {
    const [x, y] = [value(a), value(b)];
    const earlier = a.place - b.place;
    if (x === undefined) return sign * words.compare(a.cells[column].textContent, b.cells[column].textContent) || earlier;
    if (x === "" || y === "") return (x === "") - (y === "") || earlier;
    return sign * (x - y) || earlier;
  };
  for (const [place, row] of [...body.rows].entries()) row.place ??= place;
  body.append(...[...body.rows].sort(compare));
  for (const other of heads) if (other.ariaSort) other.ariaSort = other === head ? order : "none";
}

// One listener for the whole page, so that tables which are added later can be sorted too.
document.addEventListener("click", (event) => {
  const button = event.target.closest("table.sortable thead button");
  if (!button) return;
  const head = button.parentElement;
  sortBy(head, { ascending: "descending", descending: "ascending" }[head.ariaSort] ?? button.dataset.first);
});

// ------------------------------------------------------------------------------------ filter
// Show the rows whose name contains every word of the box, whatever the case and the width of letters.

const plain = (text) => text.normalize("NFKC").toLocaleLowerCase();

function filterRows(box) {
  const rows = [...box.nextElementSibling.querySelector("tbody").rows];
  const wanted = plain(box.querySelector("input").value).split(/\s+/).filter(Boolean);
  for (const row of rows) {
    const name = plain(row.querySelector("th").textContent);
    row.hidden = !wanted.every((word) => name.includes(word));
  }
  const left = rows.filter((row) => !row.hidden).length;
  box.querySelector("output").textContent = wanted.length ? `${left} of ${rows.length}` : "";
}

for (const box of document.querySelectorAll(".filter")) {
  box.hidden = false;
  box.addEventListener("input", () => filterRows(box));
}

// ------------------------------------------------------------------------------------ history
// One band at a time: that of the line or the name that is pointed at, tapped or reached by the keyboard.

for (const type of ["pointerover", "focusin", "click"]) {
  document.addEventListener(type, (event) => {
    const line = event.target.closest("[data-line]")?.dataset.line;
    if (line === undefined) return;
    for (const one of document.querySelectorAll(".history [data-line]")) one.classList.toggle("on", one.dataset.line === line);
  });
}

// ------------------------------------------------------------------------------------ opponents
// The rows of a chosen item: its opponents with what was expected, and what happened.

function cellOf(text, value) {
  const cell = document.createElement("td");
  cell.className = "number";
  cell.textContent = text;
  cell.dataset.value = value ?? "";
  return cell;
}

function opponentRow(name, [chance, won, tied, lost, surprising]) {
  const head = document.createElement("th");
  head.scope = "row";
  head.className = "text";
  head.append(Object.assign(document.createElement("bdi"), { className: "name", textContent: name }));
  const met = won + tied + lost;
  const observed = (100 * (won + tied / 2)) / met;
  const expected = chance < 0 ? null : chance / 10;
  const difference = expected === null ? null : observed - expected;
  const sign = difference >= 0.05 ? "+" : difference <= -0.05 ? "−" : "";  // no −0.0
  const text = (number, digits = 0) => number.toLocaleString("en", { maximumFractionDigits: digits });
  const row = document.createElement("tr");
  row.append(
    head,
    expected === null ? cellOf("–") : cellOf(expected.toFixed(1), expected),
    cellOf(observed.toFixed(1), observed),
    difference === null ? cellOf("–") : cellOf(`${surprising ? "! " : ""}${sign}${Math.abs(difference).toFixed(1)}`, difference),
    ...[met, won, tied, lost].map((count) => cellOf(text(count, 3), count)),
  );
  return row;
}

function listOpponents(box, pairs) {
  const chosen = Number(box.querySelector("select").value);
  const names = [...box.querySelectorAll("option")].map((option) => option.textContent);
  const rows = [];
  pairs.forEach((met, i) => {
    for (let k = 0; k < met.length; k += 6) {
      const [j, chance, won, tied, lost, surprising] = met.slice(k, k + 6);
      if (i === chosen) rows.push(opponentRow(names[j], [chance, won, tied, lost, surprising]));
      if (j === chosen) rows.push(opponentRow(names[i], [chance < 0 ? -1 : 1000 - chance, lost, tied, won, surprising]));
    }
  });
  box.querySelector("tbody").replaceChildren(...rows);
  for (const head of box.querySelectorAll("[aria-sort]")) head.ariaSort = "none";
}

for (const box of document.querySelectorAll(".opponents")) {
  const pairs = JSON.parse(box.querySelector("script").textContent);
  box.hidden = false;
  box.querySelector("select").addEventListener("change", () => listOpponents(box, pairs));
  listOpponents(box, pairs);
}
