// Rows, charts and sections of other models and datasets than those chosen are
// hidden, so are panels of figures and answers of the summary about other datasets, and
// all of these without the text. The page says how many, and every table how many of
// its rows. The choice is kept in the page's address.
(() => {
  const form = document.getElementById("filter"), note = document.getElementById("hidden-note"), main = document.querySelector("main");
  const boxes = name => [...form.querySelectorAll(`input[name=${name}]`)];
  const models = boxes("model").map(b => b.value);
  const datasets = boxes("dataset").map(b => ({ id: b.value, names: [b.value, b.dataset.title].filter(name => name) }));

  const textOf = cell => [...cell.childNodes].filter(n => !["SUP", "SMALL"].includes(n.nodeName)).map(n => n.textContent).join("").trim();
  // A cell may name several models; where folders are compared, with a letter.
  const modelsIn = cell => {
    const text = textOf(cell), title = main.hasAttribute("data-several") ? text.replace(/, [A-Z]$/, "") : text;
    return models.includes(title) ? [title] : title.split(", ");
  };
  const datasetIn = text => datasets.find(d => d.names.some(name => text === name || text.startsWith(name + ",")))?.id;
  const around = (e, what) => e.closest(`[data-${what}]`)?.dataset[what];

  // A panel has the title and the caption of its figure.
  const titled = panel => {
    const title = panel.closest(".part").querySelector("h3"), caption = panel.closest("figure").querySelector("figcaption");
    return [title, caption, panel].map(e => e.textContent).join(" ").toLowerCase();
  };

  // What can be hidden, with the models and the dataset that it is about;
  // undefined where it is about none in particular.
  const charts = [...main.querySelectorAll("[data-model]")].map(e => ({
    e, drawn: e.querySelector("svg") !== null, models: [e.dataset.model], dataset: around(e, "dataset"), text: e.textContent.toLowerCase(),
  }));
  const panels = [...main.querySelectorAll(".panel")].map(e => ({ e, drawn: true, dataset: around(e, "dataset"), text: titled(e) }));
  const answers = [...main.querySelectorAll(".answer")].map(e => ({ e, dataset: around(e, "dataset"), text: e.textContent.toLowerCase() }));
  const tables = [...main.querySelectorAll("table")].map(table => {
    const groups = table.tHead.rows.length > 1 ? [...table.tHead.rows[0].cells] : [];
    const heads = [...[...table.tHead.rows].at(-1).cells].map(textOf);
    const named = datasets.filter(d => d.names.some(name => table.caption.textContent.includes(" on " + name)));
    const model = around(table, "model"), dataset = around(table, "dataset") ?? (named.length === 1 ? named[0].id : undefined);
    const where = heads.findIndex(h => h === "dataset" || h === "dataset, task");
    const who = [...heads.keys()].filter(c => ["model", "models", "better", "other"].includes(heads[c]));
    const rows = [...table.tBodies].flatMap(body => [...body.rows]).map(e => ({
      e, models: model ? [model] : who.length > 0 ? who.flatMap(c => modelsIn(e.cells[c])) : undefined,
      dataset: where < 0 ? dataset : datasetIn(textOf(e.cells[where])), text: `${model ?? ""} ${e.textContent}`.toLowerCase(),
    }));
    const columns = [];
    let first = 0;
    for (const group of groups) {
      const from = first, to = first += group.colSpan, dataset = datasetIn(textOf(group));
      if (dataset) columns.push({ dataset, cells: [group, ...[...table.rows].slice(1).flatMap(row => [...row.cells].slice(from, to))] });
    }
    const left = document.createElement("p");
    left.className = "left-out";
    table.closest(".wide").after(left);
    return { table, rows, columns, left };
  });
  const rows = tables.flatMap(t => t.rows);

  const hidden = (list, what) => `${list.filter(i => i.e.hidden).length} of ${list.length} ${what}`;

  function apply() {
    const chosen = name => boxes(name).filter(b => b.checked).map(b => b.value);
    const model = chosen("model"), dataset = chosen("dataset"), text = form.elements.text.value.trim().toLowerCase();
    const isOther = d => dataset.length > 0 && d !== undefined && !dataset.includes(d);
    const isOut = i => isOther(i.dataset) || model.length > 0 && i.models !== undefined && !i.models.some(m => model.includes(m)) || !i.text.includes(text);
    for (const i of [...rows, ...charts, ...panels, ...answers]) i.e.hidden = isOut(i);
    for (const t of tables) {
      for (const c of t.columns) for (const cell of c.cells) cell.hidden = isOther(c.dataset);
      t.left.textContent = t.rows.some(r => r.e.hidden) ? `${hidden(t.rows, "rows")} hidden` : "";
      t.table.closest("section").hidden = t.rows.length > 0 && t.rows.every(r => r.e.hidden);
    }
    // What holds nothing else is hidden, too.
    const holders = [...main.querySelectorAll(".folded:not([data-model]), .part, .section")];
    for (const e of holders) e.hidden = false;
    for (const e of holders) {
      const inside = [...e.querySelectorAll("[data-model], tbody tr, .panel, .answer")];
      e.hidden = isOther(e.dataset.dataset) || inside.length > 0 && inside.every(x => { const by = x.closest("[hidden]"); return by && e.contains(by); });
    }
    for (const a of document.querySelectorAll("#contents a")) a.parentElement.hidden = document.getElementById(a.hash.slice(1)).closest("[hidden]") !== null;

    const query = new URLSearchParams([...model.map(m => ["model", m]), ...dataset.map(d => ["dataset", d]), ...(text ? [["text", text]] : [])]);
    note.hidden = query.size === 0;
    const drawn = [...charts, ...panels].filter(c => c.drawn), kept = model.length > 0 ? "; figures have the lines of all models" : "";
    note.firstElementChild.textContent = note.hidden ? "" : `${hidden(rows, "rows")} and ${hidden(drawn, "charts")} hidden${kept}`;
    history.replaceState(null, "", (query.size > 0 ? "?" + query : location.pathname) + location.hash);
  }
  const given = new URLSearchParams(location.search);
  for (const name of ["model", "dataset"]) for (const b of boxes(name)) b.checked = given.getAll(name).includes(b.value);
  form.elements.text.value = given.get("text") ?? "";
  form.addEventListener("input", apply);
  form.addEventListener("submit", e => { e.preventDefault(); form.hidePopover(); });
  form.addEventListener("reset", () => setTimeout(apply));
  document.getElementById("clear").addEventListener("click", () => form.reset());
  document.getElementById("filter-button").hidden = false;
  if (given.size > 0) apply();
})();
