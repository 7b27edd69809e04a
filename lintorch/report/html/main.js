// What the page does: it shows what the address names, and turns clicks and keys into addresses.

const index = readData("index");
index.byName = new Map(index.models.map((each) => [each.name, each]));
const modelOf = once((number) => readData(`model-${number}`));
const sourceOf = once((number) => readData(`source-${number}`));
const MOST_PRINTED = 100;
const box = Object.fromEntries(["matrix", "detail", "filters", "counts", "theme", "printed"].map((id) => [id, document.getElementById(id)]));
let drawn = null;

function look() {
  const asked = address.read();
  const filters = JSON.stringify([asked.text, asked.status, asked.columns, asked.change]);
  if (filters !== drawn) showMatrix(box.matrix, choose(index, asked), index.models.length, index.gone);
  drawn = filters;
  const model = index.byName.get(asked.model);
  box.matrix.parentElement.classList.toggle("alone", !model);
  box.detail.replaceChildren(...(model ? describe(model, asked.exporter) : []));
  box.detail.scrollTop = 0;
  markChosen(box.matrix, asked, index);
}

function describe(model, exporter) {
  const told = modelOf(model.number);
  return showModel(told, exporter, told.sources.map(sourceOf)).filter(Boolean);
}

function open(cell, enter) {
  const model = index.models[Number(cell.parentElement.dataset.model)];
  address.write({ model: model.name, exporter: cell.dataset.column || "" });
  const narrow = matchMedia("(max-width: 60rem)").matches;
  if (enter) box.detail.focus({ preventScroll: !narrow });
  else if (narrow) box.detail.scrollIntoView();
}

function leave() {
  const asked = address.read();
  const chosen = box.matrix.querySelector("td.chosen, [aria-selected] td") || box.matrix.querySelector("td");
  if (asked.model && document.activeElement !== chosen) chosen?.focus();
  else address.write({ model: "", exporter: "" });
}

function goToProblem(step) {
  const bad = [...box.matrix.querySelectorAll("td")].filter((each) => !each.matches(".ok, .none"));
  if (!bad.length) return;
  const now = box.matrix.querySelector("td.chosen");
  let to = bad.indexOf(now) + step;
  if (!bad.includes(now)) {
    const after = now ? bad.findIndex((each) => now.compareDocumentPosition(each) & 4) : 0;
    to = step > 0 ? (after < 0 ? 0 : after) : (after <= 0 ? bad.length : after) - 1;
  }
  open(bad[(to + bad.length) % bad.length], false);
}

function switchTheme() {
  const dark = getComputedStyle(document.documentElement).colorScheme === "light dark"
    ? matchMedia("(prefers-color-scheme: dark)").matches : document.documentElement.dataset.theme === "dark";
  document.documentElement.dataset.theme = dark ? "light" : "dark";
  keep(() => localStorage.setItem("lintorch-theme", document.documentElement.dataset.theme));
}

// Browsers may refuse to keep anything for a page that is a file.
function keep(act) {
  try {
    return act();
  } catch {
    return null;
  }
}

function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") return leave();
  if (event.target.closest("input")) return;
  const cell = event.target.closest("#matrix td");
  if (cell && moveInMatrix(cell, event.key)) return event.preventDefault();
  const act = {
    Enter: () => cell && open(cell, true),
    n: () => goToProblem(1),
    p: () => goToProblem(-1),
    t: switchTheme,
    "/": () => box.filters.querySelector("input").focus(),
  }[event.key];
  if (!act || (event.key === "Enter" && !cell)) return;
  event.preventDefault();
  act();
}

// A model that is open is printed as it is; else all that are shown and not right, each on a page.
function printDetails() {
  if (address.read().model) return openNotes(box.detail);
  const bad = choose(index, address.read()).models.filter((each) => statusesOf(each).some((status) => status !== "ok"));
  const left = bad.length - MOST_PRINTED;
  box.printed.replaceChildren(...bad.slice(0, MOST_PRINTED).map((each) => make("section", {}, describe(each, ""))),
    ...(left > 0 ? [make("p", {}, `${left} more models are not right; choose among them by the filters.`)] : []));
  openNotes(box.printed);
}

// On paper nothing can be opened.
function openNotes(within) {
  for (const each of within.querySelectorAll(".note details, .facts details")) each.open = true;
}

const theme = keep(() => localStorage.getItem("lintorch-theme"));
if (theme) document.documentElement.dataset.theme = theme;
box.counts.append(...index.counts.map(([status, number]) => make("li", { class: status }, make("strong", {}, String(number)), ` ${status}`)));
document.getElementById("since").append(index.since);
showFilters(box.filters, index);
box.filters.addEventListener("input", () => address.write(readFilters(box.filters), true));
box.filters.addEventListener("submit", (event) => event.preventDefault());
box.matrix.addEventListener("click", (event) => {
  const cell = event.target.closest("td, tbody th");
  if (cell) open(cell, false);
});
box.theme.addEventListener("click", switchTheme);
addEventListener("keydown", press);
addEventListener("looked", look);
addEventListener("popstate", () => { showFilters(box.filters, index); look(); });
addEventListener("beforeprint", printDetails);
addEventListener("afterprint", () => box.printed.replaceChildren());
look();
