// How far what each layer gives is off float32, in the order of their calls, on a scale of powers of ten.

const PROFILE = { left: 84, right: 24, top: 30, room: 150, width: 760 };

function plotLayers(trial) {
  const layers = trial.loss ? (trial.loss.layers || []).filter((each) => each.relative !== null || each.max_abs === null) : [];
  if (layers.length < 2) return null;
  const known = layers.map((each) => each.relative).filter((each) => each > 0).map(Math.log10);
  const low = Math.floor(Math.min(-4, ...known));
  const high = Math.max(0, Math.ceil(Math.max(...known, -1)));
  const bottom = PROFILE.top + PROFILE.room;
  const y = (share) => bottom - (share > 0 ? Math.max(Math.log10(share) - low, 0) / (high - low) : 0) * PROFILE.room;
  const step = (PROFILE.width - PROFILE.left - PROFILE.right) / (layers.length - 1);
  const spots = layers.map((layer, place) => ({ layer, x: PROFILE.left + step * place, y: layer.relative === null ? PROFILE.top - 8 : y(layer.relative) }));
  const blamed = spots.find((spot) => isBlamed(spot.layer, trial.loss.layer));
  return draw("svg", { class: "plot", viewBox: `0 0 ${PROFILE.width} ${bottom + 24}`, role: "img", "aria-label": describeLayers(layers, blamed) },
    drawShares(low, high, y), drawTolerance(trial.loss.tolerance, y), nameEnds(layers, bottom + 18),
    draw("polyline", { class: "course", points: spots.map((spot) => `${spot.x},${spot.y}`).join(" ") }),
    spots.map((spot) => drawLayer(spot, spot === blamed)), blamed ? nameBlamed(blamed, trial.loss) : null);
}

function isBlamed(layer, first) {
  return first && layer.name === first.name && layer.call === first.call;
}

function describeLayers(layers, blamed) {
  const worst = layers.reduce((a, b) => (a.relative === null || a.relative >= b.relative && b.relative !== null ? a : b));
  const said = `Off float32 by layer. ${layers.length} calls, the worst ${nameLayer(worst)}`;
  return blamed ? `${said}; the first that explains the error of the output is ${nameLayer(blamed.layer)}` : said;
}

function nameLayer(layer) {
  const call = layer.call > 1 ? `, call ${layer.call}` : "";
  return `${layer.name || "the model"} (${layer.class})${call}: ${writeShare(layer.relative)}`;
}

function writeShare(share) {
  return share === null ? "not finite" : `${writeNumber(100 * share)} %`;
}

function drawShares(low, high, y) {
  const parts = [];
  for (let power = low; power <= high; power += Math.ceil((high - low) / 5)) {
    const at = y(10 ** power);
    parts.push(draw("line", { class: "axis", x1: PROFILE.left, x2: PROFILE.width - PROFILE.right, y1: at, y2: at }),
      draw("text", { class: "tick", x: PROFILE.left - 12, y: at + 4, "text-anchor": "end" }, power === low ? "≤ " : "", writeShare(10 ** power)));
  }
  return parts;
}

function drawTolerance(tolerance, y) {
  const at = y(tolerance);
  const sides = { x1: PROFILE.left, x2: PROFILE.width - PROFILE.right, y1: at, y2: at };
  return [draw("line", { class: "tolerance dashed", ...sides }, draw("title", {}, `of the output, more than ${writeShare(tolerance)} is lossy`)),
    draw("text", { class: "tick", x: PROFILE.width - PROFILE.right, y: at - 5, "text-anchor": "end" }, `output lossy above ${writeShare(tolerance)}`)];
}

function nameEnds(layers, y) {
  const cut = (name) => (name.length > 48 ? `…${name.slice(-47)}` : name);
  return [draw("text", { class: "tick", x: PROFILE.left, y }, cut(layers[0].name)),
    draw("text", { class: "tick", x: PROFILE.width - PROFILE.right, y, "text-anchor": "end" }, cut(layers[layers.length - 1].name))];
}

function drawLayer({ layer, x, y }, blamed) {
  const kind = blamed || layer.relative === null ? "over" : "in";
  return draw("circle", { class: kind, cx: x, cy: y, r: blamed ? 5 : 3 }, draw("title", {}, nameLayer(layer)));
}

function nameBlamed({ layer, x, y }, loss) {
  const right = x > PROFILE.width / 2;
  const named = `${loss.given ? "what it is given: " : ""}${layer.name || "the model"}`;
  return draw("text", { class: "raised", x: x + (right ? -9 : 9), y: y - 7, "text-anchor": right ? "end" : "start" }, named);
}
