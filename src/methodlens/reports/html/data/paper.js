// One paper: its answers with their quotes, next to the page with the selected quote highlighted.

const wide = matchMedia("(min-width: 64rem)");
const open = { key: null, question: -1, quote: null, large: false };

function showPaper(key, questionId) {
  const index = papersByKey.get(key);
  const section = byId("paper");
  if (index === undefined) {
    open.key = null;
    return notFound(section, `This paper is not in this ${split ? "part of the report" : "report"}. The link may be older than the report.`);
  }
  const paper = data.papers[index];
  if (open.key !== key) buildPaper(section, paper, index);
  open.key = key;
  const question = questionsById.get(questionId) ?? -1;
  activate(question);
  section.dataset.title = (question >= 0 ? `${data.questions[question].number} · ` : "") + (paper.title || paper.name);
  return true;
}

function buildPaper(section, paper, index) {
  const codes = data.verdicts[lead][index];
  const about = [paper.authors.length > 6 ? `${paper.authors.slice(0, 6).join(", ")} et al.` : paper.authors.join(", "), paper.year].filter(Boolean).join(" · ");
  const doi = /^10\.\d{4,9}\/\S+$/.test(paper.doi) ? linked(`https://doi.org/${paper.doi}`) : null;
  refill(section,
    neighbours(data.papers, index, (other) => paperAddress(other), (other) => other.name, { before: split?.previous, after: split?.next }),
    el("p", { class: "eyebrow" }, paper.name, paper.pages ? ` · ${plural(paper.pages, "page")}` : "", paper.flags.map((flag) => [" ", flagChip(flag)])),
    el("h1", {}, paper.title || paper.name),
    about || paper.doi ? el("p", { class: "summary" }, about, about && paper.doi ? " · " : "", doi ?? paper.doi) : null,
    paper.duplicate_of ? el("p", { class: "note" }, `Duplicate of ${paper.duplicate_of}.`) : null,
    paper.status === "ok" ? null : el("p", { class: "note" }, mark("u"), ` ${paper.status.replaceAll("_", " ")}: ${paper.reason}`),
    paper.hidden.length ? el("details", { class: "note" },
      el("summary", {}, `${plural(paper.hidden.length, "piece")} of text that is invisible on the page; readers were not shown it`),
      el("ul", {}, paper.hidden.map((piece) => el("li", {}, `p. ${piece.page}, ${piece.why}: “${piece.text}”`)))) : null,
  );
  const repository = repositoryOf(paper.key)?.repository;
  if (repository) section.append(repositoryCard(repository));
  section.append(...(supplementsOf(paper.key)?.files ?? []).map(supplementNote));
  if (paper.status !== "ok") return;
  const strip = el("nav", { class: "strip", "aria-label": "Questions" }, data.questions.map((question, at) => {
    const state = states[codes[at]];
    return el("a", { href: paperAddress(paper, question), class: state?.name ?? "", title: `${question.number} ${nameOf(question)}: ${state?.word ?? "not asked"}` },
      el("span", { class: "number" }, question.number), el("span", { "aria-hidden": "true" }, state?.mark ?? "·"), el("span", { class: "visually-hidden" }, ` ${nameOf(question)}: ${state?.word ?? "not asked"}`));
  }));
  const cells = cellsOf(paper.key), beside = { code: repositoryOf(paper.key), supplements: supplementsOf(paper.key) };
  const answers = el("div", { class: "answers" }, data.questions.map((question, at) => cellArticle(paper, question, at, cells[question.id] ?? [], beside)));
  const viewer = el("aside", { id: "viewer", class: "viewer", "aria-label": "Page with the quote", tabindex: -1 });
  section.append(strip, el("div", { class: "reading" }, answers, el("div", { id: "viewer-place", class: "viewer-place" }, viewer)));
}

function cellArticle(paper, question, at, cells, beside) {
  const [first, ...others] = cells;
  const heading = el("h2", {}, el("a", { href: questionAddress(question) }, el("span", { class: "number" }, question.number), ` ${nameOf(question)}`));
  if (!first) return el("article", { class: "cell", id: `cell-${at}`, tabindex: -1 }, heading, el("p", { class: "soft" }, "Not asked."));
  const seen = [first.votes ? "" : first.answer]; // texts that are shown, so that no quote is printed twice
  return el("article", { class: "cell", id: `cell-${at}`, tabindex: -1 },
    el("header", {}, heading, mark(first.status), first.p === null ? null : el("span", { class: "reader", title: question.calibrated ? "calibrated probability that the paper reports it" : "probability that the paper reports it, not calibrated for this question" }, `p = ${first.p.toFixed(2)}`),
      question.calibration ? el("span", { class: "reader" }, question.calibration) : null,
      question.answeredAs ? el("span", { class: "reader" }, `answered as ${question.answeredAs}`) : null,
      paper.flags.includes("no_dl") ? flagChip("no_dl") : null),
    first.source ? el("p", { class: "source" }, sourceWords(first)) : null,
    first.votes ? el("p", { class: "votes" }, first.votes.map(([reader, code]) => el("span", { class: "chip" }, `${reader} `, states[code].mark, ` ${states[code].word}`))) : null,
    cellBody(at, 0, first, seen, { answer: !first.votes }),
    others.map((cell, index) => el("details", { class: "other" },
      el("summary", {}, el("span", { class: "name" }, cell.reader), " ", mark(cell.status), el("span", { class: "reader" }, ` ${cell.model && cell.model !== cell.reader ? cell.model : ""}`)),
      cellBody(at, index + 1, cell, [...seen, ...first.quotes.map((quote) => quote.text), cell.answer], { answer: true }))),
    inSupplement(beside.supplements?.cells[question.id]),
    inCode(beside.code?.cells[question.id]));
}

const byPeople = (cell) => ["adjudicated", "person", "disputed"].includes(cell.source?.kind);

function sourceWords(cell) {
  const { kind, by, at } = cell.source;
  if (byPeople(cell)) return `${cell.reason[0].toUpperCase()}${cell.reason.slice(1)} (${at})`;
  return kind === "vote" ? `Vote of ${by.join(", ")}, not reviewed` : `Answer of ${by.join(", ")}, not reviewed`;
}

function cellBody(at, reader, cell, seen, { answer }) {
  return el("div", { class: "said" },
    cell.reason && !byPeople(cell) ? el("p", { class: "reason" }, cell.reason) : null, // first: doubt changes how an answer is read
    answer && cell.answer ? el("p", { class: "answer" }, cell.answer) : null,
    cell.speculation ? el("p", { class: "reason" }, `Speculation, not in the paper: ${cell.speculation}`) : null,
    cell.trail.length ? el("ol", { class: "reader" }, cell.trail.map(([reader, code, words]) => el("li", {}, mark(code), ` ${reader} `, words))) : null,
    cell.unsupported.length ? el("p", { class: "reason" }, `Not supported by its quotes: ${cell.unsupported.join("; ")}`) : null,
    cell.facts.length ? el("dl", { class: "facts" }, cell.facts.map(([, label, values]) => el("div", {}, el("dt", {}, label),
      values.map(([value, detail]) => el("dd", {}, linked(value), detail ? el("span", { class: "soft" }, ` ${detail}`) : null))))) : null,
    cell.quotes.map((quote, index) => quoteButton(at, reader, index, quote, seen)),
    cell.nearest.length ? el("details", { class: "other" }, el("summary", {}, "Closest passages"),
      cell.nearest.map(([page, section, text]) => el("blockquote", { class: "absent" }, el("bdi", {}, text), " ", el("cite", {}, page ? `p. ${page}, ${section}` : section)))) : null);
}

const REPEATED_CHARS = 64; // of a quote whose text is shown elsewhere in the cell
// Without its first word and its last full stop: answers begin with "The authors" where a quote begins with "We"
const comparable = (text) => text.trim().replace(/^\S+\s/, "").replace(/[.,;:]$/, "");

// On a page, or in the text of a paper without pages
const canShow = (quote) => quote.places.length > 0 || Boolean(quote.span);

function quoteButton(at, reader, index, quote, seen) {
  const located = canShow(quote);
  const repeated = quote.text.length > REPEATED_CHARS && seen.some((text) => text.includes(comparable(quote.text)));
  const shownText = repeated ? `${quote.text.slice(0, REPEATED_CHARS).replace(/\s\S*$/, "")} …` : quote.text;
  const words = [el("bdi", {}, `“${shownText}”`), " ", el("cite", {}, quote.where)];
  if (!located) return el("blockquote", { class: "absent" }, words);
  return el("blockquote", { class: "quote" }, el("button", {
    type: "button", class: "plain", "aria-pressed": "false", "data-quote": `${at}.${reader}.${index}`,
    title: repeated ? `Show on its page: ${quote.text}` : "Show on its page", click: () => showQuote(at, reader, index, { follow: true }),
  }, words));
}

// --- selected question and quote ------------------------------------------------------------------------------

function activate(question) {
  for (const cell of byId("paper").querySelectorAll("article.active")) cell.classList.remove("active");
  for (const link of byId("paper").querySelectorAll(".strip a")) link.removeAttribute("aria-current");
  open.question = question;
  const cells = cellsOf(open.key);
  if (question >= 0) {
    byId(`cell-${question}`)?.classList.add("active");
    byId("paper").querySelectorAll(".strip a")[question]?.setAttribute("aria-current", "true");
  }
  const start = question >= 0 ? question : data.questions.findIndex((other) => cells[other.id]?.[0]?.quotes.some(canShow));
  const first = start < 0 ? null : firstQuote(cells[data.questions[start].id] ?? []);
  if (first) showQuote(start, ...first, { follow: question >= 0 });
  else if (question >= 0) emptyViewer(question);
}

function firstQuote(cells) {
  for (const [reader, cell] of cells.entries()) {
    const quote = cell.quotes.findIndex(canShow);
    if (quote >= 0) return [reader, quote];
  }
  return null;
}

function emptyViewer(question) {
  const viewer = byId("viewer");
  if (!viewer) return;
  placeViewer(question);
  refill(viewer, el("p", { class: "note" }, "There is no quote for this question."));
}

// Next to the answers on wide screens, else below the selected answer.
function placeViewer(question) {
  const viewer = byId("viewer");
  const place = wide.matches ? byId("viewer-place") : byId(`cell-${question}`);
  if (viewer && place && viewer.parentElement !== place) place.append(viewer);
}

function showQuote(at, reader, index, { follow }) {
  const cells = cellsOf(open.key)[data.questions[at].id];
  const quote = cells[reader].quotes[index];
  const viewer = byId("viewer");
  if (!viewer) return;
  open.quote = [at, reader, index];
  for (const button of byId("paper").querySelectorAll("[data-quote]")) button.setAttribute("aria-pressed", String(button.dataset.quote === `${at}.${reader}.${index}`));
  const others = cells.flatMap((cell) => cell.quotes).filter((other) => other !== quote && other.text !== quote.text);
  const pages = pagesOf(open.key);
  const onPages = quote.places.length > 0;
  const sheets = !onPages ? [textSheet(pages[0]?.text, quote, others)] : quote.places.map(([page, boxes]) => sheet(page, pages[page], boxes, others.flatMap((other) => other.places).filter(([on]) => on === page).flatMap(([, more]) => more)));
  const enlarge = el("button", { type: "button", click: () => { open.large = !open.large; showSize(viewer, enlarge); } });
  showSize(viewer, enlarge);
  refill(viewer, el("header", {}, el("span", {}, `${data.questions[at].number} ${nameOf(data.questions[at])} · ${quote.where}`), sheets.some((each) => each.matches(".sheet")) ? enlarge : null),
    el("div", { class: "sheets", tabindex: 0, role: "group", "aria-label": `${onPages ? `Page ${quote.places[0][0]}` : "The text"}, with the quote highlighted` }, sheets));
  placeViewer(at);
  centre(viewer);
  if (follow && !wide.matches) viewer.scrollIntoView({ block: "nearest" });
}

function showSize(viewer, button) {
  viewer.classList.toggle("large", open.large);
  button.textContent = open.large ? "Fit to width" : "Enlarge";
  centre(viewer);
}

// The sections of a paper without pages, with the quote marked, and the other quotes in another colour
function textSheet(sections, quote, others) {
  if (!sections) return el("p", { class: "note" }, "This report has no text of the paper.");
  const spans = [[...quote.span, null], ...others.filter((other) => other.span).map((other) => [...other.span, "passage"])];
  return el("div", { class: "paper-text" }, sections.map(([title, paragraphs]) => el("section", {}, title ? el("h3", {}, title) : null,
    paragraphs.map(([start, text]) => el("p", {}, markedText(start, text, spans))))));
}

function markedText(start, text, spans) {
  const parts = [];
  let at = 0;
  const inside = spans.filter(([from, to]) => from < start + text.length && to > start)
    .map(([from, to, kind]) => [Math.max(0, from - start), Math.min(text.length, to - start), kind]).sort((a, b) => a[0] - b[0] || (a[2] ? 1 : -1));
  for (const [from, to, kind] of inside) {
    if (to <= at) continue;
    parts.push(text.slice(at, Math.max(at, from)), el("mark", kind ? { class: kind } : {}, text.slice(Math.max(at, from), to)));
    at = to;
  }
  return [...parts, text.slice(at)];
}

function sheet(page, picture, boxes, others) {
  if (!picture || !picture.source) {
    return el("p", { class: "note" }, `Page ${page}: `, picture?.reason || "this report has no image of it.");
  }
  const [width, height] = picture.size;
  const rect = ([x0, y0, x1, y1], kind) => svgEl("rect", { class: kind, x: x0 - 1, y: y0 - 1, width: x1 - x0 + 2, height: y1 - y0 + 2 });
  const overlap = ([x0, y0, x1, y1], [a0, b0, a1, b1]) => x0 < a1 && a0 < x1 && y0 < b1 - 1 && b0 < y1 - 1;
  const apart = others.filter((other) => !boxes.some((each) => overlap(other, each)));
  return el("div", { class: "sheet" },
    el("img", { src: picture.source, width: Math.round(width), height: Math.round(height), alt: `Page ${page}` }),
    svgEl("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" },
      svgEl("g", { class: "boxes other" }, apart.map((each) => rect(each, "box other"))),
      svgEl("g", { class: "boxes" }, boxes.map((each) => rect(each, "edge")), boxes.map((each) => rect(each, "box")))));
}

// Scroll to the first box. This works before the image is loaded, because its size is known.
function centre(viewer) {
  const sheets = viewer.querySelector(".sheets"), box = viewer.querySelector("rect.box:not(.other), mark:not(.passage)");
  if (!sheets || !box) return;
  const seen = sheets.getBoundingClientRect(), target = box.getBoundingClientRect();
  sheets.scrollTop += target.top + target.height / 2 - seen.top - sheets.clientHeight * 0.4;
  sheets.scrollLeft += target.left + target.width / 2 - seen.left - sheets.clientWidth / 2;
}

wide.addEventListener("change", () => open.key && open.quote && showQuote(...open.quote, { follow: false }));
