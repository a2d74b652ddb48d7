// The report's data, and what all its views need of it.

const parseBlock = (id) => (byId(id) ? JSON.parse(byId(id).textContent) : null);
const memoize = (make) => {
  const cache = new Map();
  return (key) => (cache.has(key) ? cache : cache.set(key, make(key))).get(key);
};

const data = parseBlock("overview");
const states = Object.fromEntries(data.states.map((state) => [state.code, state]));
const papersByKey = new Map(data.papers.map((paper, index) => [paper.key, index]));
const questionsById = new Map(data.questions.map((question, index) => [question.id, index]));
const lead = data.readers[0];
const cellsOf = memoize((key) => parseBlock(`paper-${key}`)?.cells ?? {});
const repositoryOf = memoize((key) => parseBlock(`paper-${key}`)?.code ?? null);
const supplementsOf = memoize((key) => parseBlock(`paper-${key}`)?.supplements ?? null);
const pagesOf = memoize((key) => parseBlock(`pages-${key}`) ?? {});
const codeOf = (reader, paper, question) => data.verdicts[reader]?.[paper]?.[question] ?? ".";

const paperAddress = (paper, question) =>
  `#/paper/${paper.key}` + (question ? `/${encodeURIComponent(question.id)}` : "");
const questionAddress = (question) => `#/question/${encodeURIComponent(question.id)}`;
const nameOf = (question) => question.title || question.text;
const split = data.split ?? null; // null unless the report is split into several files
const inPart = split ? " in this part" : "";

function mark(code) {
  const state = states[code];
  if (!state) return el("span", { class: "mark" }, "not asked");
  return el("span", { class: `mark ${state.name}` }, el("span", { "aria-hidden": "true" }, state.mark), ` ${state.word}`);
}

function flagChip(flag) {
  return el("span", { class: "chip", title: data.flags[flag] ?? flag }, flag.replaceAll("_", " "));
}

// A stacked bar in the colours of the verdicts, from counts such as [["r", 12], ["n", 3]].
function stacked(counts) {
  const total = counts.reduce((sum, [, count]) => sum + count, 0) || 1;
  const words = counts.map(([code, count]) => `${count} ${states[code].word}`).join(", ");
  let x = 0;
  const parts = counts.map(([code, count]) => {
    const part = svgEl("rect", { class: `fill-${states[code].name}`, x, y: 0, width: count, height: 10 });
    part.append(svgEl("title", {}, `${count} ${states[code].word}`));
    x += count;
    return part;
  });
  const frame = { class: "stacked", viewBox: `0 0 ${total} 10`, preserveAspectRatio: "none", role: "img", "aria-label": words };
  return svgEl("svg", frame, parts);
}

function tally(codes) {
  return data.states.map((state) => [state.code, [...codes].filter((code) => code === state.code).length]).filter(([, n]) => n);
}
