// All that is known of one model, and of its export with one exporter.

function showModel(told, exporter, sources) {
  const { model, trials, findings } = told;
  const trial = trials.find((each) => columnOf(each) === exporter) || worstOf(trials);
  return [
    make("h2", {}, model.model),
    model.cause ? showFailure(model) : null,
    trials.length ? showTabs(trials, trial) : null,
    trial ? showTrial(trial) : null,
    trial ? showNumbers(trial) : null,
    trial ? showLayerErrors(trial) : null,
    model.graph && model.graph.nodes.length ? showCalls(model.graph, trial, sources) : null,
    sources.length ? section("Source", showSources(sources, findings)) : null,
    told.losses.length ? section("What other types lose", make("ul", {}, told.losses.map((each) => make("li", {}, each)))) : null,
    told.timing ? section("How long it takes", showTiming(told.timing)) : null,
    model.layers && model.layers.length ? section("Modules", showLayers(model, trials, trial)) : null,
    model.inputs ? section("What it was built from and fed", showInferred(model)) : null,
    trial && trial.suggestion && trial.suggestion.program ? section("The call that exports it", showProgram(trial.suggestion)) : null,
  ];
}

function columnOf(trial) {
  return trial.column || (trial.target ? `${trial.exporter} > ${trial.target}` : trial.exporter);
}

function worstOf(trials) {
  const order = ["wrong", "failed", "stopped", "lossy", "doubtful", "eager fails", "unavailable", "ok"];
  return [...trials].sort((a, b) => order.indexOf(a.status) - order.indexOf(b.status))[0];
}

function showFailure(model) {
  return make("div", { class: "said failed" }, make("p", {}, make("strong", {}, `stopped at: ${model.stage}`)), make("p", {}, model.cause));
}

function showTabs(trials, chosen) {
  const tabs = trials.map((each) => make("button", {
    type: "button", role: "tab", class: `mark ${each.status}`, "aria-selected": String(each === chosen), "data-exporter": columnOf(each),
    tabindex: each === chosen ? 0 : -1, onclick: () => address.write({ model: each.model, exporter: columnOf(each) }),
  }, columnOf(each)));
  const turn = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    tabs[(tabs.indexOf(event.target) + step + tabs.length) % tabs.length].click();
    document.querySelector('#detail [role="tab"][aria-selected="true"]').focus();
  };
  return make("div", { class: "tabs", role: "tablist", "aria-label": "Exporters", onkeydown: turn }, tabs);
}

function showTrial(trial) {
  const facts = [
    ["at", trial.location && linkPlace(trial.location)],
    ["smallest part", trial.part],
    ["without translation", trial.operators.join(", ")],
    ["opset", trial.opset && String(trial.opset)],
    ["lowest opset", trial.lowest_opset && String(trial.lowest_opset)],
    ["runtimes", trial.needs && trial.needs.runtimes.map(writeRuntime).filter(Boolean).join(", ")],
    ["holds for", trial.limits.length && showLimits(trial.limits)],
    ["compared at", writeCompared(trial.compared)],
    ["inputs left out", trial.pruned.join(", ")],
    ["took", trial.seconds ? `${writeNumber(trial.seconds)} s` : null],
    ["file", trial.artifact], ["program that shows it", trial.repro],
    [trial.change && `since ${trial.change.since}`, trial.change && `${trial.change.kind}: ${trial.change.message}`],
  ].filter(([, value]) => value);
  const told = trial.findings.some((each) => each.message.includes(trial.message));
  return make("section", { "aria-label": "Outcome" },
    make("div", { class: `said ${trial.status}` }, make("strong", { class: `mark ${trial.status}` }, trial.status), trial.message && !told ? make("p", {}, trial.message) : null),
    trial.findings.length ? make("ul", { class: "findings" }, trial.findings.map((each) =>
      make("li", {}, make("strong", {}, each.code), " ", linkPlace(each.location), " ", each.message))) : null,
    make("dl", { class: "facts" }, facts.map(([name, value]) => [make("dt", {}, name), make("dd", {}, value)])));
}

function writeCompared(compared) {
  const [first] = compared;
  const said = compared.map((sizes) => writeSizes(changedSizes(sizes, first))).filter(Boolean).join("; ");
  return said || (compared.length ? "the traced size only" : "");
}

function writeRuntime(each) {
  return each.first_release ? `${each.runtime} ≥ ${each.first_release}` : each.takes ? `${each.runtime}-${each.release}: ${each.takes}` : "";
}

function showLimits(limits) {
  const list = make("ul", {}, limits.map(showLimit));
  return limits.length < 3 ? list : make("details", {}, make("summary", {}, `sizes under ${limits.length} conditions`), list);
}

function showLimit(limit) {
  const wrong = limit.wrong_at.length ? `; wrong at ${limit.wrong_at.map(writeSizes).join("; ")}` : "";
  return make("li", {}, make("code", {}, limit.condition), limit.location ? [" ", linkPlace(limit.location)] : "", wrong);
}

function showNumbers(trial) {
  const plot = plotDifferences(trial);
  return plot && section("Largest difference from eager, and what is tolerated", make("div", { class: "wide" }, plot));
}

function showLayerErrors(trial) {
  const plot = plotLayers(trial);
  const where = trial.loss && trial.loss.in_file ? `the file of ${trial.exporter}` : "eager";
  return plot && section(`Off float32, layer by layer, in ${where}`, make("div", { class: "wide" }, plot));
}

function showCalls(graph, trial, sources) {
  const some = graph.nodes.length < graph.calls ? ` (${graph.nodes.length} of ${graph.calls} calls)` : "";
  const title = trial && trial.status !== "ok" ? `Calls around what goes wrong${some}` : `Calls${some}`;
  return section(title, make("div", { class: "wide" }, showGraph(graph, trial, sources)));
}

function showTiming(timing) {
  const row = (tag, cells) => make("tr", {}, cells.map((each) => make(tag, {}, each)));
  const table = make("table", { class: "timing" }, make("thead", {}, row("th", timing.heads)), make("tbody", {}, timing.rows.map((each) => row("td", each))));
  return [make("p", { class: "dim" }, timing.told), timing.rows.length ? make("div", { class: "wide" }, table) : null,
    timing.notes.length ? make("ul", {}, timing.notes.map((each) => make("li", {}, each))) : null];
}

function showInferred(model) {
  const made = (name) => (model.made_up.includes(name) ? make("span", { class: "dim" }, " made up") : null);
  const facts = [
    ...Object.entries(model.arguments).map(([name, value]) => [name, [make("code", {}, typeof value === "string" ? value : JSON.stringify(value)), made(name)]]),
    ...model.inputs.map((each, place) => [`input ${place + 1}`, make("code", {}, typeof each === "string" ? each : JSON.stringify(each))]),
    ["weights", `${writeCount(model.parameters)} parameters`],
    ...model.assumptions.map((each) => ["assumed", each]),
    ["purpose", model.purpose && `a ${model.purpose} is run, and not exported`],
  ].filter(([, value]) => value);
  return make("dl", { class: "facts" }, facts.map(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
}

function showProgram(suggestion) {
  const copy = make("button", { type: "button", class: "copy", onclick: () => navigator.clipboard.writeText(suggestion.program) }, "copy");
  return make("div", { class: "code" }, make("header", {}, copy, suggestion.ran ? "ran, and gave eager's numbers" : suggestion.message), make("pre", {}, make("code", {}, suggestion.program)));
}
