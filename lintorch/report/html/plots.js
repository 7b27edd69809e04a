// How far each output is from eager's at each size, on a scale of powers of ten.

const PLOT = { left: 250, right: 110, row: 20, width: 760, top: 8 };

function plotDifferences(trial) {
  const rows = [...trial.differences];
  for (const each of trial.wrong) {
    if (each.amount === null) rows.push({ sizes: each.sizes, output: "", amount: null, message: each.message });
  }
  if (!rows.length) return null;
  const powers = rows.flatMap((each) => [each.amount, each.tolerance]).filter((each) => each > 0).map(Math.log10);
  const low = Math.floor(Math.min(-7, ...powers));
  const high = Math.max(low + 2, Math.ceil(Math.max(...powers, -2) + 0.2));
  const room = PLOT.width - PLOT.left - PLOT.right;
  const x = (amount) => PLOT.left + room * (amount > 0 ? (Math.log10(amount) - low) / (high - low) : 0);
  const height = PLOT.top + rows.length * PLOT.row + 22;
  const several = new Set(rows.map((each) => each.output).filter(Boolean)).size > 1;
  const first = rows[0].sizes;
  return draw("svg", { class: "plot", viewBox: `0 0 ${PLOT.width} ${height}`, role: "img", "aria-label": describeRows(rows) },
    drawAxis(low, high, x, height), rows.map((each, place) => drawRow(each, place, x, first, several)));
}

function describeRows(rows) {
  const said = rows.map((each) => `${writeSizes(each.sizes)}: ${each.amount === null ? each.message || "no number" : writeNumber(each.amount)}`);
  return `Largest difference from eager. ${said.join("; ")}`;
}

function drawAxis(low, high, x, height) {
  const step = Math.ceil((high - low) / 7);
  const parts = [];
  for (let power = low; power <= high; power += step) {
    const at = x(10 ** power);
    parts.push(draw("line", { class: "axis", x1: at, x2: at, y1: PLOT.top, y2: height - 20 }),
      draw("text", { class: "tick", x: at, y: height - 5, "text-anchor": "middle" }, power === low ? "≤" : "", `1e${power}`));
  }
  return parts;
}

function drawRow(each, place, x, first, several) {
  const y = PLOT.top + place * PLOT.row + PLOT.row / 2;
  const sizes = writeSizes(changedSizes(each.sizes, first, true)) || "as traced";
  const label = several && each.output ? `${sizes} · ${each.output}` : sizes;
  const parts = [draw("text", { x: PLOT.left - 12, y: y + 4, "text-anchor": "end" }, label.length > 38 ? `${label.slice(0, 37)}…` : label, draw("title", {}, label))];
  if (each.amount === null) {
    const said = each.message || "no number: not finite, or another shape";
    return [...parts, draw("text", { class: "raised", x: PLOT.left + 4, y: y + 4 }, said.length > 68 ? `${said.slice(0, 67)}…` : said, draw("title", {}, said))];
  }
  const over = each.amount > each.tolerance;
  const edge = x(each.tolerance);
  return [...parts,
    draw("rect", { class: "allowed", x: PLOT.left, y: y - 7, width: Math.max(edge - PLOT.left, 0), height: 14 }),
    draw("line", { class: "tolerance", x1: edge, x2: edge, y1: y - 7, y2: y + 7 }, draw("title", {}, `tolerance ${writeNumber(each.tolerance)}`)),
    draw("circle", { class: over ? "over" : "in", cx: x(each.amount), cy: y, r: 4.5 }, draw("title", {}, writeNumber(each.amount))),
    draw("text", { x: PLOT.width - PLOT.right + 12, y: y + 4 }, writeNumber(each.amount))];
}
