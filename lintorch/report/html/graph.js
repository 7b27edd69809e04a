// The calls of a model in their order, by user line, with what feeds what drawn beside them.

const LANE = 9, STEP = 26, TRUNK = 12;

function showGraph(graph, trial, sources) {
  const hot = new Set(trial ? trial.nodes : []);
  const shown = chooseRuns(graph.runs, trial);
  const rows = [];
  let line = "";
  for (const node of graph.nodes) {
    const place = writePlace(node.location);
    if (place !== line) rows.push({ place: node.location });
    line = place;
    rows.push({ node });
  }
  const spot = new Map(rows.map((each, at) => [each.node && each.node.number, at]));
  const edges = layLanes(listEdges(graph.nodes, spot, hot), rows);
  const width = TRUNK + 8 + (1 + Math.max(-1, ...edges.map((each) => each.lane))) * LANE;
  return make("table", { class: "graph" },
    make("thead", {}, make("tr", {}, make("th", {}), make("th", {}, "operator"), make("th", {}, "layer"),
      shown.map((run) => graph.runs[run]).map((sizes) => make("th", {}, writeSizes(changedSizes(sizes, graph.runs[0])) || "fixed sizes")))),
    make("tbody", {}, rows.map((each, at) => makeGraphRow(each, shown, hot, width, at ? null : drawEdges(edges), sources))));
}

// The first run, and the one at sizes where this export is wrong, else the second.
function chooseRuns(runs, trial) {
  const wrong = new Set((trial ? trial.wrong : []).map((each) => JSON.stringify(each.sizes)));
  const other = runs.findIndex((sizes, run) => run && wrong.has(JSON.stringify(sizes)));
  return runs.length < 2 ? [0] : [0, other < 0 ? 1 : other];
}

function listEdges(nodes, spot, hot) {
  const edges = [];
  for (const node of nodes) {
    for (const number of node.takes) {
      if (spot.has(number)) edges.push({ from: spot.get(number), to: spot.get(node.number), hot: hot.has(number) && hot.has(node.number) });
    }
  }
  return edges;
}

// An edge to the very next call runs in the trunk; the others take the first lane that is free.
function layLanes(edges, rows) {
  const ends = [];
  for (const edge of edges.sort((a, b) => a.from - b.from || a.to - b.to)) {
    edge.lane = -1;
    if (!rows.slice(edge.from + 1, edge.to).some((each) => each.node)) continue;
    edge.lane = ends.findIndex((end) => end <= edge.from);
    if (edge.lane < 0) edge.lane = ends.length;
    ends[edge.lane] = edge.to;
  }
  return edges;
}

function drawEdges(edges) {
  return edges.map(({ from, to, lane, hot }) => {
    const [top, end] = [from * STEP + STEP / 2, to * STEP + STEP / 2];
    const out = TRUNK + (lane + 1) * LANE;
    const way = lane < 0 ? `M${TRUNK} ${top}V${end}`
      : `M${TRUNK} ${top}C${out} ${top} ${out} ${top} ${out} ${top + STEP / 2}V${end - STEP / 2}C${out} ${end} ${out} ${end} ${TRUNK} ${end}`;
    return draw("path", { d: way, class: hot ? "hot" : "" });
  });
}

function makeGraphRow(each, shown, hot, width, edges, sources) {
  const svg = draw("svg", { width, height: STEP, "aria-hidden": "true" }, edges || []);
  const first = make("td", { class: "edges" }, svg);
  if (!each.node) {
    const text = lineAt(sources, each.place);
    return make("tr", { class: "line" }, first, make("td", { colspan: 2 + shown.length }, linkPlace(each.place), text && `  ${text.trim()}`));
  }
  svg.append(draw("circle", { cx: TRUNK, cy: STEP / 2, r: 4 }));
  return make("tr", { class: hot.has(each.node.number) ? "blamed" : "" }, first,
    make("td", { title: each.node.operator }, shortName(each.node.operator)),
    make("td", { class: "dim" }, each.node.layer || "the model itself"),
    shown.map((run) => make("td", {}, writeShapes(each.node.outputs[run], run ? each.node.outputs[0] : null))));
}

function shortName(operator) {
  return operator.replace("torch.nn.functional.", "F.").replace("torch.Tensor.", "Tensor.");
}

function writeShapes(shapes, beside) {
  if (!shapes) return [make("span", { class: "dim" }, "not run")];
  return shapes.map((shape, n) => [n ? ", " : "", shape.length ? "" : "()", shape.map((size, axis) => {
    const other = beside && beside[n] && beside[n].length === shape.length ? beside[n][axis] : size;
    return [axis ? "×" : "", size === other ? String(size) : make("b", {}, String(size))];
  })]);
}
