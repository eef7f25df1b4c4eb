// Rows of tables are sorted by a column, each block for itself: a button in
// every head goes round ascending, descending and the order of the suite.
(() => {
  const said = document.getElementById("said");
  const sign = { ascending: 1, descending: -1 };
  const next = { none: "ascending", ascending: "descending", descending: "none" };

  const key = cell => ({ number: cell.dataset.number, text: cell.textContent.trim() });
  const missing = k => k.text === "" || /^–/.test(k.text) && k.number === undefined;
  const rank = k => missing(k) ? 2 : k.number === undefined ? 1 : 0;

  // Numbers go by value, words stay below them, and what is missing below these.
  function sortBlock(body, order, column, direction) {
    const rows = order.map(row => ({ row, key: key(row.cells[column]) }));
    const compare = (a, b) => [() => a.number - b.number, () => a.text.localeCompare(b.text, "en", { numeric: true }), () => 0][rank(a)]();
    if (direction !== "none") {
      rows.sort((a, b) => rank(a.key) - rank(b.key) || sign[direction] * compare(a.key, b.key));
    }
    body.append(...rows.map(r => r.row));
  }

  for (const table of document.querySelectorAll("table")) {
    const heads = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
    const blocks = [...table.tBodies].map(body => ({ body, order: [...body.rows] }));
    if (blocks.every(b => b.order.length < 2)) continue;
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      const title = [...head.childNodes].filter(n => n.nodeName !== "SUP");
      button.append(...title);
      head.prepend(button);
      head.setAttribute("aria-sort", "none");
      button.addEventListener("click", () => {
        const direction = next[head.getAttribute("aria-sort")];
        for (const other of heads) other.setAttribute("aria-sort", "none");
        head.setAttribute("aria-sort", direction);
        for (const b of blocks) sortBlock(b.body, b.order, column, direction);
        said.textContent = direction === "none" ? "rows in the order of the suite" : `sorted by ${button.textContent}, ${direction}`;
      });
    });
  }
})();
