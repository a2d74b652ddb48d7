// The matrix of papers x questions. Long lists are virtualised: only visible rows, and a few more, are in the page.

const OVERSCAN = 20;
const STEP = 4;
const WHOLE = 150; // up to this many rows, all are in the page
const FLAGS = [
  ["duplicate", "duplicates", (paper) => paper.duplicate_of !== ""],
  ["differ", "readers disagree", (paper, index) => data.readers.length > 1 && differs(index)],
];
const FLAG_NAMES = { no_dl: "without deep learning", ocr: "read by OCR", unread_pages: "with unread pages", hidden_text: "with hidden text" };
const SORTS = {
  given: ["original order", null],
  name: ["by file name", (a, b) => compare(data.papers[a].name, data.papers[b].name)],
  title: ["by title", (a, b) => compare(data.papers[a].title || "\uffff", data.papers[b].title || "\uffff")],
  year: ["newest first", (a, b) => (data.papers[b].year ?? 0) - (data.papers[a].year ?? 0)],
  most: ["most reported first", (a, b) => reportedBy(b) - reportedBy(a)],
  least: ["least reported first", (a, b) => reportedBy(a) - reportedBy(b)],
  verdict: ["by verdict on the question", (a, b) => rank(a) - rank(b)],
};
const view = { text: "", question: -1, status: new Set(), flag: "", reader: lead, sort: "given" };
const shown = { rows: data.papers.map((_, index) => index), hits: new Map(), at: [0, 1], range: [0, 0], height: 33 };
const collator = new Intl.Collator(undefined, { numeric: true });
const compare = collator.compare;
const reportedBy = (paper) => [...data.verdicts[view.reader][paper]].filter((code) => code === "r").length;
const rank = (paper) => "rwnfu.".indexOf(codeOf(view.reader, paper, Math.max(0, view.question)));

function differs(paper) {
  const readers = data.readers.filter((reader) => !["final", "vote"].includes(reader));
  return data.questions.some((_, question) => {
    const decisions = new Set(readers.map((reader) => codeOf(reader, paper, question)).filter((code) => code === "r" || code === "n"));
    return decisions.size > 1;
  });
}

// --- search and filters -----------------------------------------------------------------------------------------------

const haystack = memoize((index) => {
  const paper = data.papers[index];
  const cells = cellsOf(paper.key);
  return {
    paper: [paper.name, paper.title, ...paper.authors, paper.year, paper.doi, ...paper.flags].join("\n").toLowerCase(),
    cells: data.questions.map((question) =>
      (cells[question.id] ?? []).map((cell) => [cell.answer, ...cell.quotes.map((quote) => quote.text)].join("\n")).join("\n").toLowerCase()),
  };
});

function select() {
  const query = view.text.trim().toLowerCase();
  const questions = view.question < 0 ? data.questions.map((_, index) => index) : [view.question];
  const flagged = FLAGS.find(([name]) => name === view.flag)?.[2] ?? ((paper) => paper.flags.includes(view.flag));
  shown.hits = new Map();
  shown.rows = data.papers.map((_, index) => index).filter((index) => {
    if (view.flag && !flagged(data.papers[index], index)) return false;
    if (view.status.size && !questions.some((question) => view.status.has(codeOf(view.reader, index, question)))) return false;
    if (!query) return true;
    const text = haystack(index);
    const cells = questions.filter((question) => text.cells[question].includes(query));
    if (cells.length) shown.hits.set(index, new Set(cells));
    return cells.length > 0 || text.paper.includes(query);
  });
  const order = SORTS[view.sort][1];
  if (order) shown.rows.sort((a, b) => order(a, b) || a - b);
  shown.at = [0, shown.at[1]];
}

// --- rows ---------------------------------------------------------------------------------------------------

function matrixRow(index, place) {
  const paper = data.papers[index];
  const hits = shown.hits.get(index);
  const title = [paper.name, paper.title].filter(Boolean).join(": ");
  const cell = (question, column) => {
    const state = states[codeOf(view.reader, index, column)];
    if (!state) return el("td", {}, "·");
    const dim = (view.question >= 0 && view.question !== column) || (view.status.size > 0 && !view.status.has(state.code));
    const classes = `${state.name}${hits?.has(column) ? " found" : ""}${dim ? " dim" : ""}`;
    const label = `${paper.name}, ${question.number} ${nameOf(question)}: ${state.word}`;
    const here = shown.at[0] === place && shown.at[1] === column + 1;
    const address = paper.status === "ok" ? paperAddress(paper, question) : paperAddress(paper);
    return el("td", { class: classes }, el("a", { href: address, title: label, "aria-label": label, tabindex: here ? 0 : -1 }, state.mark));
  };
  const first = { href: paperAddress(paper), title, tabindex: shown.at[0] === place && shown.at[1] === 0 ? 0 : -1 };
  return el("tr", { "aria-rowindex": place + 2, "data-place": place },
    el("th", { scope: "row" }, el("a", first,
      el("span", { class: "name" }, paper.name), paper.flags.includes("no_dl") ? [" ", flagChip("no_dl")] : null, paper.title ? el("span", { class: "title" }, ` ${paper.title}`) : null)),
    data.questions.map(cell),
    el("td", { class: "count" }, String(reportedBy(index))));
}

// While scrolling, rows that stay visible are kept; only rows that enter or leave are changed.
function draw({ focus = false, moved = false } = {}) {
  const frame = byId("frame"), body = byId("rows");
  const total = shown.rows.length;
  let start = 0, end = total;
  if (total > WHOLE && !shown.printing) {
    start = Math.max(0, Math.floor(frame.scrollTop / shown.height) - OVERSCAN);
    end = Math.min(total, start + Math.ceil(frame.clientHeight / shown.height) + 2 * OVERSCAN);
  }
  const hadFocus = body.contains(document.activeElement) || focus;
  const [from, to] = moved ? shown.range : [0, 0];
  const kept = moved && start < to && end > from;
  const makeRows = (first, last) => shown.rows.slice(first, last).map((index, offset) => matrixRow(index, first + offset));
  if (kept) {
    for (const row of [...body.children]) if (Number(row.dataset.place) < start || Number(row.dataset.place) >= end) row.remove();
    body.prepend(...makeRows(start, Math.max(start, from)));
    body.append(...makeRows(Math.min(end, to), end));
  } else {
    body.replaceChildren(...makeRows(start, end));
  }
  shown.range = [start, end];
  byId("above").style.height = `${start * shown.height}px`;
  byId("below").style.height = `${(total - end) * shown.height}px`;
  if (body.firstChild) shown.height = body.firstChild.getBoundingClientRect().height || shown.height;
  if (hadFocus) focusAt();
}

function focusAt() {
  const row = byId("rows").querySelector(`[data-place="${shown.at[0]}"]`);
  row?.querySelectorAll("a")[shown.at[1]]?.focus({ preventScroll: true });
}

// Remembers the cell that has the focus: arrow keys start there, and it gets the focus back when its view is closed.
function rememberFocus(event) {
  const row = event.target.closest("tr[data-place]"), link = event.target.closest("a");
  if (!row || !link) return;
  shown.at = [Number(row.dataset.place), [...row.querySelectorAll("a")].indexOf(link)];
  byId("rows").querySelectorAll('a[tabindex="0"]').forEach((other) => other.setAttribute("tabindex", "-1"));
  link.setAttribute("tabindex", "0");
}

function redraw() {
  select();
  byId("frame").scrollTop = 0;
  draw();
  const filtered = shown.rows.length !== data.papers.length;
  byId("how-many").textContent = (filtered ? `${shown.rows.length} of ${data.papers.length} papers` : plural(data.papers.length, "paper")) + inPart;
  byId("nothing").hidden = shown.rows.length > 0;
  byId("reset").hidden = !filtered && !view.text && !view.status.size && view.question < 0 && view.sort === "given";
}

// Arrow keys move between cells; only one cell is in the tab order.
function move(event) {
  const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], PageDown: [15, 0], PageUp: [-15, 0] };
  const step = steps[event.key];
  const row = event.target.closest("tr[data-place]");
  if (!step || !row || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  const links = [...row.querySelectorAll("a")];
  const place = Math.max(0, Math.min(shown.rows.length - 1, Number(row.dataset.place) + step[0]));
  const column = Math.max(0, Math.min(links.length - 1, links.indexOf(event.target.closest("a")) + step[1]));
  shown.at = [place, column];
  if (place < shown.range[0] || place >= shown.range[1]) {
    byId("frame").scrollTop = Math.max(0, (place - 3) * shown.height);
    draw({ focus: true, moved: true });
  }
  focusAt();
  document.activeElement.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
}

// --- filter bar ---------------------------------------------------------------------------------------------

function chooser(id, label, options, change) {
  const control = el("select", { id, change: (event) => { change(event.target.value); redraw(); } },
    options.map(([value, text]) => el("option", { value }, text)));
  return el("div", { class: "field" }, el("label", { for: id }, label), control);
}

function statusButtons() {
  const counts = new Map(tally(data.verdicts[view.reader].join("")));
  return data.states.filter((state) => counts.has(state.code)).map((state) =>
    el("button", {
      type: "button", class: `state ${state.name}`, "aria-pressed": String(view.status.has(state.code)),
      click: (event) => {
        const on = !view.status.delete(state.code) && view.status.add(state.code);
        event.currentTarget.setAttribute("aria-pressed", String(Boolean(on)));
        redraw();
      },
    }, el("span", { "aria-hidden": "true" }, state.mark), ` ${state.word} `, el("span", { class: "number" }, String(counts.get(state.code)))));
}

function buildMatrix() {
  const questions = data.questions.map((question, index) => [index, `${question.number} ${nameOf(question)}`.slice(0, 70)]);
  const flags = [...new Set(data.papers.flatMap((paper) => paper.flags))].map((flag) => [flag, FLAG_NAMES[flag] ?? flag.replaceAll("_", " ")]);
  const present = FLAGS.filter(([, , test]) => data.papers.some(test)).map(([name, text]) => [name, text]);
  let waiting = 0;
  const search = el("input", {
    type: "search", id: "search", placeholder: "Title, answer, quote …", autocomplete: "off", spellcheck: "false",
    input: (event) => {
      view.text = event.target.value;
      clearTimeout(waiting);
      waiting = setTimeout(redraw, 150);
    },
  });
  const bar = el("div", { class: "filters", role: "search", "aria-label": "Filter the matrix" },
    el("div", { class: "field grow" }, el("label", { for: "search" }, "Search"), search),
    chooser("by-question", "Question", [[-1, "all questions"], ...questions], (value) => { view.question = Number(value); }),
    present.length + flags.length ? chooser("by-flag", "Papers", [["", "all papers"], ...present, ...flags], (value) => { view.flag = value; }) : null,
    data.readers.length > 1 ? chooser("by-reader", "Reader", data.readers.map((reader) => [reader, reader]), (value) => {
      view.reader = value;
      byId("states").replaceChildren(...statusButtons());
    }) : null,
    chooser("sort", "Sort", Object.entries(SORTS).map(([name, [text]]) => [name, text]), (value) => { view.sort = value; }));
  const states = el("div", { class: "filters", role: "group", "aria-label": "Filter by verdict" },
    el("span", { id: "states", class: "states" }, statusButtons()),
    el("span", { id: "how-many", class: "small soft", role: "status" }),
    el("button", { type: "button", id: "reset", hidden: true, click: reset }, "Show all"));
  const heads = data.questions.map((question) => {
    const label = `${question.number} ${nameOf(question)}: ${question.text}`;
    return el("th", { scope: "col" }, el("a", { href: questionAddress(question), title: label },
      el("span", { class: "upright" }, nameOf(question)), el("span", { class: "number" }, question.number)));
  });
  const head = el("thead", {}, el("tr", { "aria-rowindex": 1 },
    el("th", { scope: "col" }, el("span", { class: "corner" }, "Paper")), heads,
    el("th", { scope: "col", title: "number reported" }, el("span", { class: "number" }, reportedMark()))));
  // fillers take the space of rows that are not in the page; fixed column widths keep new rows from moving others
  const filler = (id) => el("tbody", { class: "filler", "aria-hidden": "true" }, el("tr", {}, el("td", { id, colspan: data.questions.length + 2 })));
  const columns = el("colgroup", {}, el("col", { class: "paper-column" }), data.questions.map(() => el("col", { class: "question-column" })), el("col", { class: "count-column" }));
  const table = el("table", { class: "matrix", "aria-rowcount": data.papers.length + 1, "aria-label": "Verdicts: papers by questions" },
    columns, head, filler("above"), el("tbody", { id: "rows" }), filler("below"));
  table.style.setProperty("--questions", data.questions.length);
  const frame = el("div", { id: "frame", class: "scroll matrix-frame", tabindex: -1, keydown: move, focusin: rememberFocus }, table);
  let scheduled = false;
  frame.addEventListener("scroll", () => {
    if (scheduled || shown.rows.length <= WHOLE) return;
    scheduled = true;
    requestAnimationFrame(() => {
      scheduled = false;
      if (Math.abs(Math.floor(frame.scrollTop / shown.height) - OVERSCAN - shown.range[0]) >= STEP) draw({ moved: true });
    });
  }, { passive: true });
  byId("matrix").querySelector(".legend")?.remove(); // the filter buttons replace it
  byId("matrix").append(bar, states, frame, el("p", { id: "nothing", class: "note", hidden: true }, `No paper${inPart} matches these filters.`));
  addEventListener("beforeprint", () => { shown.printing = true; draw(); });
  addEventListener("afterprint", () => { shown.printing = false; draw(); });
  redraw();
}

// Returns whether there was something to clear.
function clearSearch() {
  if (!view.text) return false;
  byId("search").value = view.text = "";
  redraw();
  return true;
}

const reportedMark = () => data.states[0].mark;

function reset() {
  Object.assign(view, { text: "", question: -1, status: new Set(), flag: "", sort: "given" });
  for (const [id, value] of [["search", ""], ["by-question", "-1"], ["by-flag", ""], ["sort", "given"]]) if (byId(id)) byId(id).value = value;
  byId("states").replaceChildren(...statusButtons());
  redraw();
}
