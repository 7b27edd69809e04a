// Elements are made here, and nowhere is text read as markup: what comes of users' code stays text.

function make(tag, given = {}, ...children) {
  return fill(document.createElement(tag), given, children);
}

function draw(tag, given = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), given, children);
}

function fill(element, given, children) {
  for (const [name, value] of Object.entries(given)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((each) => each !== null && each !== undefined));
  return element;
}

function readData(id) {
  return JSON.parse(document.getElementById(id).textContent);
}

function once(read) {
  const known = new Map();
  return (key) => {
    if (!known.has(key)) known.set(key, read(key));
    return known.get(key);
  };
}

function writeNumber(amount) {
  if (amount === null) return "";
  if (amount === 0) return "0";
  return amount >= 0.001 && amount < 10000 ? String(Number(amount.toPrecision(3))) : amount.toExponential(1);
}

function writeCount(number) {
  if (number < 1000) return String(number);
  return number < 1e6 ? `${(number / 1e3).toPrecision(3)} k` : `${(number / 1e6).toPrecision(3)} M`;
}

function writeSizes(sizes) {
  return Object.entries(sizes).map(([name, size]) => `${name} ${size}`).join(", ");
}

// Those that are other than the first ones; all of the first ones themselves, unless they are to go.
function changedSizes(sizes, first, strict = false) {
  const changed = Object.entries(sizes).filter(([name, size]) => first[name] !== size);
  return changed.length || strict ? Object.fromEntries(changed) : sizes;
}

function writePlace(at) {
  return `${at.filename}${at.cell ? `:cell ${at.cell}` : ""}:${at.row}`;
}

function section(title, ...children) {
  return make("section", {}, make("h3", {}, title), children);
}
