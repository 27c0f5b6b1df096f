"use strict";
// Click a heading to sort by its column, click again to reverse the order. Cells without a value come last.

const words = new Intl.Collator(undefined, { numeric: true });

function sortBy(head, order) {
  const body = head.closest("table").tBodies[0];
  const heads = [...head.parentElement.cells];
  const column = heads.indexOf(head);
  const sign = order === "ascending" ? 1 : -1;
  const value = (row) => row.cells[column].dataset.value;

  const compare = (a, b) => {
    const [x, y] = [value(a), value(b)];
    if (x === undefined) return sign * words.compare(a.cells[column].textContent, b.cells[column].textContent);
    if (x === "" || y === "") return (x === "") - (y === "");
    return sign * (x - y);
  };
  body.append(...[...body.rows].sort(compare));
  for (const other of heads) other.ariaSort = other === head ? order : "none";
}

// One listener for the whole page, so that tables which are added later can be sorted too.
document.addEventListener("click", (event) => {
  const button = event.target.closest("table.sortable thead button");
  if (!button) return;
  const head = button.parentElement;
  sortBy(head, { ascending: "descending", descending: "ascending" }[head.ariaSort] ?? button.dataset.first);
});
