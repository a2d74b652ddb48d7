// Plots of how often each value of a fact occurs: one bar per value (the share of papers with any value of that fact); a click
// lists the papers.

const MOST_BARS = 12;

function factPlot(fact, papers) {
  const distinct = new Set(fact.values.flatMap(([, indexes]) => indexes)).size;
  const numeric = fact.values.every(([value]) => Number.isFinite(parseFloat(value)) && !value.startsWith("http"));
  const ordered = numeric && fact.values.length <= MOST_BARS
    ? [...fact.values].sort((a, b) => parseFloat(a[0]) - parseFloat(b[0])) : fact.values;
  const rows = ordered.map(([value, indexes], index) => factBar(value, indexes, { of: distinct, papers, hidden: index >= MOST_BARS }));
  const more = ordered.length - MOST_BARS;
  const body = el("tbody", {}, rows.flat());
  const button = more > 0 ? el("button", {
    type: "button",
    click: (event) => {
      for (const row of body.querySelectorAll("tr.rest")) row.hidden = false;
      event.currentTarget.remove();
    },
  }, `Show ${more} more`) : null;
  return el("section", { class: "card plot-card" },
    el("h3", {}, fact.label, el("span", { class: "small soft" }, ` ${plural(fact.values.length, "value")} in ${plural(distinct, "paper")}`)),
    el("table", { class: "bars" }, body), button,
    downloads(`${papers.id}-${fact.key}`.replace(/[^\w.-]+/g, "-"), fact.label, () => factDrawing(fact, ordered, distinct), () => factTable(ordered, distinct)));
}

// The bars as a drawing for print, in points: one column (85 mm) wide.
function factDrawing(fact, values, of) {
  const [width, row, left, right] = [241, 11, 112, 34];
  const shown = values.slice(0, MOST_BARS);
  const height = 16 + row * shown.length + 14;
  const words = (x, y, anchor, text, weight = "normal") => svgEl("text", { x, y, "text-anchor": anchor, "font-size": 7, "font-weight": weight, fill: "#000" }, text);
  const bars = shown.flatMap(([value, indexes], at) => {
    const top = 16 + row * at;
    return [words(left - 4, top + 8, "end", value.length > 28 ? `${value.slice(0, 27)}…` : value),
      svgEl("rect", { x: left, y: top + 2, width: ((width - left - right) * indexes.length) / of, height: row - 4, fill: "#0072b2" }),
      words(width - 4, top + 8, "end", `${indexes.length}/${of}`)];
  });
  const rest = values.length - shown.length;
  return svgEl("svg", { xmlns: SVG, width: "85mm", height: `${(height / 72) * 25.4}mm`, viewBox: `0 0 ${width} ${height}`, "font-family": "Helvetica, Arial, 'Liberation Sans', sans-serif" },
    svgEl("title", {}, fact.label), svgEl("rect", { width, height, fill: "#fff" }),
    words(4, 9, "start", fact.label, "bold"), bars,
    svgEl("line", { x1: left, y1: 16, x2: left, y2: 16 + row * shown.length, stroke: "#000", "stroke-width": 0.6 }),
    words(left, height - 4, "start", `papers with a value: ${of}${rest > 0 ? `; ${plural(rest, "more value")}` : ""}`));
}

const factTable = (values, of) => csvText([["value", "papers", "of"], ...values.map(([value, indexes]) => [value, indexes.length, of])]);

function factBar(value, indexes, { of, papers, hidden }) {
  const list = el("tr", { class: "behind", hidden: true }, el("td", { colspan: 3 }));
  const open = el("button", {
    type: "button", class: "plain", "aria-expanded": "false",
    click: () => {
      list.hidden = !list.hidden;
      open.setAttribute("aria-expanded", String(!list.hidden));
      if (!list.firstChild.firstChild) list.firstChild.append(paperList(indexes, papers));
    },
  }, value);
  const address = linked(value);
  const bar = svgEl("svg", { class: "bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
    svgEl("rect", { class: "track", x: 0, y: 0, width: 100, height: 10 }),
    svgEl("rect", { class: "full", x: 0, y: 0, width: (100 * indexes.length) / of, height: 10 }));
  const row = el("tr", { class: hidden ? "rest" : null, hidden },
    el("th", { scope: "row" }, open, typeof address === "string" ? null : el("span", { class: "out" }, " ", fill(address, { "aria-label": `open ${value}` }, []))),
    el("td", { class: "drawn" }, bar), el("td", { class: "count" }, String(indexes.length)));
  if (address !== value) address.textContent = "↗";
  return [row, list];
}

function paperList(indexes, question) {
  return el("ul", { class: "papers" }, indexes.map((index) => {
    const paper = data.papers[index];
    return el("li", {}, el("a", { href: paperAddress(paper, question) }, paper.name), paper.title ? el("span", { class: "title" }, ` ${paper.title}`) : null);
  }));
}
