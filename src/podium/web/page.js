"use strict";
// Click a heading to sort by its column, click again to reverse the order. Cells without a value come last.

const words = new Intl.Collator(undefined, { numeric: true });

function sortTable(table, head) {
  const heads = [...head.parentElement.cells];
  const column = heads.indexOf(head);
  const before = head.ariaSort;
  const order = { ascending: "descending", descending: "ascending" }[before] ?? head.firstElementChild.dataset.first;
  const sign = order === "ascending" ? 1 : -1;
  const value = (row) => row.cells[column].dataset.value;

  const compare = (a, b) => {
    const [x, y] = [value(a), value(b)];
    if (x === undefined) return sign * words.compare(a.cells[column].textContent, b.cells[column].textContent);
    if (x === "" || y === "") return (x === "") - (y === "");
    return sign * (x - y);
  };
  table.tBodies[0].append(...[...table.tBodies[0].rows].sort(compare));
  for (const other of heads) other.ariaSort = other === head ? order : "none";
}

for (const table of document.querySelectorAll("table.sortable")) {
  for (const head of table.tHead.rows[0].cells) {
    head.firstElementChild.addEventListener("click", () => sortTable(table, head));
  }
}
