// One question across all papers: verdicts, plots of facts, and the answer from each paper.

const AT_ONCE = 40;

function showQuestion(id) {
  const index = questionsById.get(id);
  const section = byId("question");
  if (index === undefined) return notFound(section, "This question is not in this report.");
  const question = data.questions[index];
  const codes = data.papers.map((_, paper) => codeOf(lead, paper, index));
  const counts = tally(codes);
  const asked = counts.filter(([code]) => code !== "u").reduce((sum, [, count]) => sum + count, 0);
  const reported = codes.filter((code) => code === "r").length;
  const facts = data.facts[question.id] ?? [];
  const chosen = new Set();
  const answers = el("div", { class: "answers" });
  const refresh = () => listAnswers(answers, data.papers.map((_, paper) => paper).filter((paper) => codes[paper] !== "." && (!chosen.size || chosen.has(codes[paper]))), question);
  const buttons = counts.map(([code, count]) => el("button", {
    type: "button", class: `state ${states[code].name}`, "aria-pressed": "false",
    click: (event) => {
      const on = !chosen.delete(code) && chosen.add(code);
      event.currentTarget.setAttribute("aria-pressed", String(Boolean(on)));
      refresh();
    },
  }, el("span", { "aria-hidden": "true" }, states[code].mark), ` ${states[code].word} `, el("span", { class: "number" }, String(count))));
  refill(section,
    neighbours(data.questions, index, questionAddress, (other) => `${other.number} ${nameOf(other)}`),
    el("p", { class: "eyebrow" }, `Question ${question.id}`),
    el("h1", {}, nameOf(question)),
    question.title ? el("p", { class: "lede" }, question.text) : null,
    question.calibrated ? null : el("p", { class: "note" }, "Not calibrated: how often the answers are right was not measured for this question."),
    question.calibrated && question.calibration ? el("p", { class: "note" }, `Probabilities ${question.calibration}.`) : null,
    question.answeredAs ? el("p", { class: "note" }, `Answered as ${question.answeredAs}, which asks the same.`) : null,
    el("div", { class: "headline" }, el("b", {}, asked ? `${Math.round((100 * reported) / asked)}%` : "–"),
      el("span", {}, ` of ${plural(asked, "readable paper")}${inPart} report it`), wholeShare(question)),
    stacked(counts),
    facts.length ? el("h2", {}, "Reported values") : null,
    facts.length ? el("div", { class: "plots" }, facts.map((fact) => factPlot(fact, question))) : null,
    el("h2", {}, "By paper"),
    el("div", { class: "filters", role: "group", "aria-label": "Filter by verdict" }, el("span", { class: "states" }, buttons)),
    answers,
  );
  section.dataset.title = `${question.number} ${nameOf(question)}`;
  refresh();
  return true;
}

// The share among all papers of the run, if this file has only a part of them.
function wholeShare(question) {
  const [reported, asked] = split?.whole_run[questionsById.get(question.id)] ?? [0, 0];
  return asked ? el("span", { class: "soft" }, `, ${Math.round((100 * reported) / asked)}% of all ${asked.toLocaleString("en")}`) : null;
}

function listAnswers(box, papers, question) {
  box.replaceChildren();
  let next = 0;
  const more = el("button", { type: "button", click: () => add() }, "");
  const add = () => {
    const items = papers.slice(next, next + AT_ONCE).map((index) => answerItem(index, question));
    next += items.length;
    more.remove();
    box.append(...items);
    if (next < papers.length) {
      more.textContent = `Show ${Math.min(AT_ONCE, papers.length - next)} more of ${papers.length - next}`;
      box.append(more);
    }
  };
  add();
}

function answerItem(index, question) {
  const paper = data.papers[index];
  const cell = cellsOf(paper.key)[question.id]?.[0];
  const text = cell ? cell.answer || cell.reason : "";
  return el("article", { class: "brief" },
    el("div", {}, mark(codeOf(lead, index, questionsById.get(question.id)))),
    el("div", {},
      el("a", { href: paperAddress(paper, question), class: "name" }, paper.name), paper.title ? el("span", { class: "title" }, ` ${paper.title}`) : null,
      el("p", {}, text.length > 260 ? `${text.slice(0, 259)}…` : text)));
}

// At the ends of a list, `before` and `after` link to other files.
function neighbours(list, index, address, name, { before = null, after = null } = {}) {
  const link = (item, to, rel, text) => item ? el("a", { class: "button", href: to(item), rel, title: name(item) }, text) : null;
  const at = (place, other, rel, text) => list[place] ? link(list[place], address, rel, text) : link(other, (item) => item.file + address(item), rel, text);
  return el("nav", { class: "neighbours", "aria-label": "Neighbours" }, at(index - 1, before, "prev", "← previous"), at(index + 1, after, "next", "next →"));
}

function notFound(section, message) {
  refill(section, el("h1", {}, "Not found"), el("p", {}, message, " ", el("a", { href: "#/" }, "Back to the matrix")), inOtherParts());
  section.dataset.title = "Not found";
  return false;
}

// Links to the same address in other parts: a link may be older than the report.
function inOtherParts() {
  const others = [...document.querySelectorAll("#parts a:not([aria-current])")];
  if (!others.length) return null;
  return el("p", {}, "It may be in another part: ", others.map((link, at) => [at ? ", " : null, el("a", { href: link.dataset.file + location.hash }, link.textContent)]));
}
