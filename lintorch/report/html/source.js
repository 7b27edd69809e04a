// Parts of files with their findings: what was seen, by which evidence, and what mends it.

const ORDER = ["source", "trace", "export"];
const EVIDENCE = { source: "read in the source", trace: "seen in a run", export: "shown by a trial export" };

function showSources(sources, findings) {
  const files = new Map();
  for (const part of sources) files.set(writeFile(part), [...(files.get(writeFile(part)) || []), part]);
  return [...files].map(([name, parts]) => make("div", { class: "code" }, make("header", {}, make("code", {}, name)),
    make("pre", {}, parts.map((part, place) => [place ? make("span", { class: "gap" }) : null, showPart(part, findings)]))));
}

function showPart(part, findings) {
  const own = findings.filter((each) => each.filename === part.filename && each.cell === part.cell);
  return part.lines.map((tokens, place) => showRow(part, part.row + place, tokens, own));
}

function writeFile(part) {
  return `${part.filename}${part.cell ? `, cell ${part.cell}` : ""}`;
}

function showRow(part, row, tokens, findings) {
  const here = findings.filter((each) => each.location.row === row);
  const within = findings.some((each) => each.location.row <= row && row <= each.end_location.row && each.end_location.row - each.location.row < 12);
  const grave = here.some((each) => each.severity === "error");
  const line = make("span", { class: `row${within ? " named" : ""}${grave ? " error" : ""}`, id: rowId(part, row) },
    make("i", {}, String(row)), tokens.map(([kind, text]) => (kind ? make("span", { class: kind }, text) : text)), "\n");
  return [line, here.map(showFinding)];
}

function rowId(at, row) {
  return `at:${at.filename}:${at.cell || ""}:${row}`;
}

function showFinding(finding) {
  const fix = finding.fix;
  return make("div", { class: `note ${finding.severity}` },
    make("p", {}, make("span", { class: "badge" }, EVIDENCE[finding.evidence]), linkRule(finding), " ", finding.message),
    finding.notes.length ? make("details", {}, make("summary", { class: "dim" }, `${finding.notes.length} more piece${finding.notes.length > 1 ? "s" : ""} of evidence`),
      make("ul", {}, [...finding.notes].sort((a, b) => ORDER.indexOf(a.evidence) - ORDER.indexOf(b.evidence))
        .map((note) => make("li", {}, make("span", { class: "dim" }, EVIDENCE[note.evidence], ": "), note.message)))) : null,
    fix && fix.diff.length ? [make("p", { class: "dim" }, describeFix(fix)), showDiff(fix.diff)] : null);
}

function describeFix(fix) {
  const proof = fix.verified === null ? "" : fix.verified ? "; models compute the same with it" : "; models compute something else with it";
  return `${fix.applicability} fix: ${fix.message}${proof}`;
}

function showDiff(diff) {
  return make("div", { class: "diff" }, make("code", {}, diff.map((each) => [
    each.old.map((text) => make("span", { class: "old" }, `- ${text}`)),
    each.new.map((text) => make("span", { class: "new" }, `+ ${text}`)),
  ])));
}

function linkRule(finding) {
  const name = finding.name ? `${finding.code} ${finding.name}` : finding.code;
  return finding.url && finding.url.startsWith("https://") ? make("a", { href: finding.url, rel: "noreferrer" }, name) : make("strong", {}, name);
}

function linkPlace(at) {
  const go = (event) => {
    const row = document.getElementById(rowId(at, at.row));
    event.preventDefault();
    if (row) row.scrollIntoView({ block: "center" });
  };
  return make("a", { href: "#", class: "place", onclick: go }, writePlace(at));
}

function lineAt(sources, at) {
  const part = sources.find((each) => each.filename === at.filename && each.cell === at.cell
    && each.row <= at.row && at.row < each.row + each.lines.length);
  return part ? part.lines[at.row - part.row].map(([, text]) => text).join("") : "";
}
