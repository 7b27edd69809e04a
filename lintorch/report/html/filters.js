// The filters: a text, outcomes, columns, and what has changed where that is known.

const STATUSES = ["ok", "doubtful", "lossy", "wrong", "failed", "eager fails", "stopped", "unavailable"];

function showFilters(form, index) {
  const asked = address.read();
  const text = make("input", {
    type: "search", name: "text", placeholder: "Model, file, rule or message", "aria-label": "Search",
    value: asked.text, autocomplete: "off",
  });
  const used = STATUSES.filter((status) => index.models.some((each) => statusesOf(each).includes(status)));
  form.replaceChildren(text, choices("status", "Outcome", used, asked.status));
  if (index.columns.length > 1) form.append(choices("columns", "Exporter", index.columns, asked.columns));
  if (index.changes.length) form.append(choices("change", "Since then", index.changes, asked.change));
}

function choices(name, title, values, chosen) {
  return make("fieldset", {}, make("legend", {}, title), values.map((value) =>
    make("label", { class: name === "status" ? value : "" },
      make("input", { type: "checkbox", name, value, checked: chosen.includes(value) }), value)));
}

function readFilters(form) {
  const data = new FormData(form);
  return {
    text: data.get("text"), status: data.getAll("status"),
    columns: data.getAll("columns"), change: data.getAll("change"),
  };
}

function statusesOf(model) {
  return Object.values(model.cells).map((cell) => cell.status).concat(model.failed ? ["failed"] : []);
}

function choose(index, asked) {
  const columns = asked.columns.length ? index.columns.filter((each) => asked.columns.includes(each)) : index.columns;
  const words = asked.text.toLowerCase().split(/\s+/).filter(Boolean);
  const models = index.models.filter((model) => {
    const cells = columns.map((column) => model.cells[column]).filter(Boolean);
    const statuses = cells.map((cell) => cell.status).concat(model.failed ? ["failed"] : []);
    const changes = cells.map((cell) => cell.change);
    return words.every((word) => model.words.includes(word))
      && (!asked.status.length || asked.status.some((each) => statuses.includes(each)))
      && (!asked.change.length || asked.change.some((each) => changes.includes(each)));
  });
  return { columns, models };
}
