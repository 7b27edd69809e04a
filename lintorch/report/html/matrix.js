// The matrix: a row for each model, a column for each exporter, a cell that opens what became of it.

function showMatrix(section, shown, total, gone) {
  const head = make("tr", {}, make("th", { scope: "col" }, countRows(shown.models.length, total)),
    shown.columns.map((column) => make("th", { scope: "col" }, column)));
  const body = make("tbody", {}, shown.models.map((model) => makeRow(model, shown.columns)));
  const table = make("table", { role: "grid", "aria-label": "Models and exporters" }, make("thead", {}, head), body);
  section.replaceChildren(table);
  if (gone.length) section.append(showGone(gone));
  if (!shown.models.length) section.append(make("p", { class: "empty dim" }, "No model fits these filters."));
  const first = body.querySelector("td");
  if (first) first.tabIndex = 0;
}

function showGone(gone) {
  return make("details", { class: "empty" }, make("summary", {}, `${gone.length} gone`),
    make("ul", {}, gone.map((each) => make("li", { class: each.worse ? "failed" : "" }, `${each.model} with ${each.column}: ${each.message}`))));
}

function countRows(shown, total) {
  return `${shown === total ? total : `${shown} of ${total}`} model${total === 1 ? "" : "s"}`;
}

function makeRow(model, columns) {
  const [path, name] = model.name.includes(":") ? [model.name.replace(/[^:]*$/, ""), model.name.replace(/.*:/s, "")] : [model.name, ""];
  const row = make("tr", { "data-model": model.number },
    make("th", { scope: "row", title: model.name }, name && make("span", {}, name, " "), make("span", { class: "path" }, path.replace(/:$/, ""))));
  for (const column of columns) row.append(makeCell(model, column));
  return row;
}

function makeCell(model, column) {
  const cell = model.cells[column];
  const text = cell ? cell.text : model.failed ? model.failed : "–";
  const status = cell ? cell.status : model.failed ? "failed" : "none";
  const box = make("td", { class: status, tabindex: -1, "data-column": column, title: text }, text);
  if (cell && cell.change) box.append(make("span", { class: `change ${cell.worse ? "worse" : "dim"}` }, cell.change));
  return box;
}

function markChosen(section, asked, index) {
  for (const row of section.querySelectorAll("[aria-selected], .chosen")) {
    row.removeAttribute("aria-selected");
    row.classList.remove("chosen");
  }
  const model = index.byName.get(asked.model);
  const row = model && section.querySelector(`tr[data-model="${model.number}"]`);
  if (!row) return;
  row.setAttribute("aria-selected", "true");
  const cell = [...row.cells].find((each) => each.dataset.column === asked.exporter);
  if (cell) {
    cell.classList.add("chosen");
    for (const other of section.querySelectorAll('td[tabindex="0"]')) other.tabIndex = -1;
    cell.tabIndex = 0;
  }
  row.scrollIntoView({ block: "nearest" });
}

function moveInMatrix(cell, key) {
  const row = cell.parentElement;
  const place = cell.cellIndex;
  const to = {
    ArrowRight: () => cell.nextElementSibling,
    ArrowLeft: () => (place > 1 ? cell.previousElementSibling : null),
    ArrowDown: () => row.nextElementSibling && row.nextElementSibling.cells[place],
    ArrowUp: () => row.previousElementSibling && row.previousElementSibling.cells[place],
    Home: () => row.cells[1],
    End: () => row.cells[row.cells.length - 1],
  }[key];
  const next = to && to();
  if (!next) return Boolean(to);
  cell.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
  return true;
}
