// The modules of a model as a tree, coloured by what became of them.

function showLayers(model, trials, chosen) {
  const hurt = findHurt(model, trials, chosen);
  const root = { children: new Map() };
  for (const layer of model.layers) {
    let at = root;
    for (const name of layer.path.split(".")) {
      if (!at.children.has(name)) at.children.set(name, { name, path: at.path ? `${at.path}.${name}` : name, children: new Map() });
      at = at.children.get(name);
    }
    at.layer = layer;
  }
  return make("ul", { class: "tree" }, [...root.children.values()].map((each) => showLayer(each, hurt)));
}

// The smallest part that goes wrong, else the layers of the calls at which it does.
function findHurt(model, trials, chosen) {
  const hurt = new Map();
  const nodes = new Map(model.graph ? model.graph.nodes.map((node) => [node.number, node]) : []);
  for (const trial of [...trials].sort((a) => (a === chosen ? 1 : -1))) {
    if (trial.status === "ok") continue;
    const part = (trial.part || "").split(" (")[0];
    const paths = part ? [part] : trial.nodes.map((number) => nodes.get(number)).filter(Boolean).map((node) => node.layer).filter(Boolean);
    for (const path of paths) hurt.set(path, { status: trial.status, by: [...new Set([...(hurt.get(path)?.by || []), columnOf(trial)])] });
  }
  return hurt;
}

function showLayer(node, hurt) {
  const own = hurt.get(node.path);
  const below = [...hurt.keys()].some((path) => path.startsWith(`${node.path}.`));
  const worst = own || (below && hurt.get([...hurt.keys()].find((path) => path.startsWith(`${node.path}.`))));
  const kind = node.layer ? node.layer.class.replace(/^torch\.nn\./, "").replace(/.*\./, "") : "";
  const label = [
    make("span", { class: worst ? `${worst.status} ${own ? "hurt" : "above"}` : "" }, node.name), " ",
    make("span", { class: "class", title: node.layer && node.layer.class }, kind),
    node.layer && node.layer.parameters ? make("span", { class: "count" }, writeCount(node.layer.parameters)) : null,
    own ? make("span", { class: `count ${own.status}` }, `${own.status} with ${own.by.join(", ")}`) : null,
  ];
  if (!node.children.size) return make("li", {}, make("span", {}, label));
  const opened = below || (!hurt.size && !node.path.includes("."));
  return make("li", {}, make("details", { open: opened }, make("summary", {}, label),
    make("ul", {}, [...node.children.values()].map((each) => showLayer(each, hurt)))));
}
