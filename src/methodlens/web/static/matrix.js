// The matrix: drawn once, then only what changed. Text comes from papers, so it is only ever set as text.

import { call, follow, plain, tell, text } from "./session.js";

const MARKS = { reported: "●", not_reported: "○", withheld: "?", failed: "!", unreadable: "–" };
const words = (status) => status.replace("_", " ");
const table = document.getElementById("matrix");
const filters = document.getElementById("filters");
const frame = document.querySelector(".matrix-frame");
const pager = document.getElementById("pager"); // only where there is more than one page
const rows = new Map();
const number = (n) => n.toLocaleString("en");
let page = Number(pager?.dataset.page || 1);
let find = ""; // what the server looks for, on this page and those after it
let searched = ""; // what is shown now
let view = null;
let column = null; // the question that rows are sorted by
let wanted = new Set();

if (table) start();
else follow((state) => { if (state.progress?.papers_read) location.reload(); }); // the first paper of a run that began elsewhere

async function start() {
  filters.addEventListener("input", arrange);
  filters.addEventListener("submit", (event) => event.preventDefault());
  filters.addEventListener("click", (event) => {
    const chip = event.target.closest("[data-status]");
    if (!chip) return;
    const on = chip.getAttribute("aria-pressed") !== "true";
    chip.setAttribute("aria-pressed", String(on));
    wanted[on ? "add" : "delete"](chip.dataset.status);
    arrange();
  });
  frame.addEventListener("keydown", walk);
  if (pager) {
    filters.text.placeholder = "Find in all papers";
    filters.text.addEventListener("input", () => { clearTimeout(typing); typing = setTimeout(search, 400); });
    filters.text.addEventListener("change", search);
    document.addEventListener("keydown", turn);
    counts();
  }
  await refresh();
  come();
  let last = "";
  follow((state) => {
    progress(state);
    const now = JSON.stringify(state.progress && [state.progress.run, state.progress.cells_done, state.progress.papers_read, state.progress.annotations]);
    if (last && now !== last) soon();
    last = now;
  });
}

let waiting = null;
function soon() { // while a run goes on, once a second is enough
  waiting ??= setTimeout(() => { waiting = null; refresh(); }, 1000);
}

async function refresh() {
  try {
    const asked = find;
    const fresh = await call(`/api/matrix?page=${page}&find=${encodeURIComponent(find)}`);
    if (asked !== find) return; // somebody typed on
    if (view && (fresh.page !== view.page || asked !== searched)) frame.scrollTop = 0;
    searched = asked;
    if (view && (fresh.run !== view.run || fresh.questions.length !== view.questions.length)) return location.reload();
    const first = !view;
    view = fresh;
    if (first) head();
    view.papers.forEach(row);
    const names = new Set(view.papers.map((paper) => paper.name));
    for (const [name, made] of rows) if (!names.has(name)) { made.line.remove(); rows.delete(name); }
    count();
    arrange();
  } catch (error) {
    tell(error.message, { problem: true });
  }
}

// --- pages: the server has the others ---

let typing = null;
function search() {
  clearTimeout(typing);
  const typed = filters.text.value.trim();
  if (typed === find) return;
  find = typed;
  page = find ? 1 : Number(pager.dataset.page);
  document.getElementById("shown").textContent = "Looking …";
  refresh();
}

async function counts() {
  try {
    for (const found of await call("/api/queues")) {
      const card = document.querySelector(`[data-queue=${found.queue}]`);
      card.querySelector(".count").textContent = number(found.left);
      card.toggleAttribute("data-done", found.left === 0);
    }
  } catch (error) {
    tell(error.message, { problem: true });
  }
}

function turn(event) {
  if (event.target.closest("input, textarea, select, #who") || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  const link = { "[": "prev", "]": "next" }[event.key];
  if (link) pager.querySelector(`[rel=${link}][href]`)?.click();
}

function come() { // from a cell: back to the row of its paper
  const sha = location.hash.slice(1);
  const paper = sha && view?.papers.find((one) => one.sha256 === sha);
  if (!paper) return;
  const { line, link } = rows.get(paper.name);
  line.scrollIntoView({ block: "center" });
  link.focus({ preventScroll: true });
}

function covers(shown) {
  const [from, to] = [(view.page - 1) * pager.dataset.size + 1, Math.min(view.until * pager.dataset.size, view.total)];
  const said = document.getElementById("shown");
  pager.hidden = Boolean(find);
  if (!find) { said.textContent = shown === view.papers.length ? "" : `${number(shown)} of the ${number(view.papers.length)} papers on this page shown`; return; }
  said.textContent = `${number(view.papers.length)} found in papers ${number(from)}–${number(to)} of ${number(view.total)}${shown === view.papers.length ? "" : `, ${number(shown)} of them shown`}. `;
  if (view.until >= view.pages) return;
  const on = text("button", "Look on in those after them");
  on.type = "button";
  on.addEventListener("click", () => { page = view.until + 1; refresh(); });
  said.append(on);
}

function head() {
  const line = document.createElement("tr");
  line.append(text("th", "Paper"));
  line.firstChild.scope = "col";
  view.questions.forEach((question, index) => {
    const cell = document.createElement("th");
    cell.scope = "col";
    const button = text("button", question.number);
    button.type = "button";
    button.title = `${question.id} ${question.title || question.text}: sort by it`;
    button.setAttribute("aria-label", button.title);
    button.addEventListener("click", () => { column = column === index ? null : index; arrange(); });
    cell.append(button);
    line.append(cell);
  });
  table.tHead.replaceChildren(line);
  const columns = document.createElement("colgroup");
  columns.append(text("col", "", "paper-column"), ...view.questions.map(() => text("col", "", "question-column")));
  table.prepend(columns);
  table.style.setProperty("--questions", view.questions.length);
}

// Of long lists only the rows in sight have their cells: five hundred papers have fourteen thousand of them
const AT_ONCE = 60;
const sight = new IntersectionObserver((entries) => {
  for (const entry of entries) (entry.isIntersecting ? fill : empty)(rows.get(entry.target.dataset.paper));
}, { root: frame, rootMargin: "800px 0px" });

function row(paper) {
  let made = rows.get(paper.name);
  if (!made) {
    const line = document.createElement("tr");
    line.dataset.paper = paper.name;
    const name = document.createElement("th");
    name.scope = "row";
    const link = document.createElement("a");
    link.append(text("span", paper.name, "name"), " ", text("span", "", "title"));
    name.append(link);
    line.append(name, blank());
    made = { line, link, cells: null, shown: [] };
    rows.set(paper.name, made);
  }
  made.paper = paper;
  const said = plain(paper.status === "ok" ? `${(paper.flags || []).includes("no_dl") ? "no deep learning of its own · " : ""}${paper.title}` : `${words(paper.status)}: ${paper.reason}`);
  made.link.lastChild.textContent = said;
  made.link.title = plain(`${paper.name}${said ? `: ${said}` : ""}`);
  if (paper.sha256) made.link.href = address(paper, 0);
  if (made.cells) paint(made);
  else if (view.papers.length <= AT_ONCE) fill(made);
  else sight.observe(made.line);
}

function fill(made) {
  if (!made || made.cells) return;
  made.cells = view.questions.map(() => {
    const cell = document.createElement("td");
    cell.append(document.createElement("a"));
    return cell;
  });
  made.line.lastChild.replaceWith(...made.cells); // the name stays where it is: somebody may be on it
  paint(made);
}

function empty(made) {
  if (!made?.cells || made.line.contains(document.activeElement)) return;
  made.line.replaceChildren(made.line.firstChild, blank());
  made.cells = null;
  made.shown = [];
}

function blank() {
  const later = text("td", "", "blank");
  later.colSpan = view.questions.length;
  return later;
}

function paint(made) {
  const { paper } = made;
  paper.marks.forEach((status, index) => {
    const own = paper.mine[index];
    const split = paper.split.includes(index);
    const dim = wanted.size > 0 && !marked(paper, status, index);
    const key = `${status}/${own}/${split}/${dim}/${paper.sha256}`;
    if (made.shown[index] === key) return;
    made.shown[index] = key;
    draw(made.cells[index], paper, index, status, own, split);
    made.cells[index].classList.toggle("dim", dim);
  });
}

const marked = (paper, status, index) => wanted.has(status) || (wanted.has("split") && paper.split.includes(index));

function draw(cell, paper, index, status, own, split) {
  const link = cell.firstChild;
  const question = view.questions[index];
  const decided = own === "reported" || own === "not_reported";
  const differs = decided && (status === "reported" || status === "not_reported") && own !== status;
  cell.className = [status || "blank", split && "splits", own && "own", own && (differs ? "differs" : decided ? "agrees" : "open")].filter(Boolean).join(" ");
  link.textContent = status ? MARKS[status] : "·";
  if (paper.sha256) link.href = address(paper, index);
  const mine = own ? `; you: ${own === "withheld" ? "unsure" : words(own)}` : "";
  const label = plain(`${paper.name}, ${question.id} ${question.title || question.text}: ${status ? words(status) : "no verdict to see yet"}${split ? ", readers split" : ""}${mine}`);
  link.setAttribute("aria-label", label);
  link.title = label;
}

const address = (paper, index) => `/cells/${paper.sha256}/${encodeURIComponent(view.questions[index].id)}`;

function count() {
  const numbers = {};
  for (const paper of view.papers) {
    for (const status of paper.marks) if (status) numbers[status] = (numbers[status] || 0) + 1;
    numbers.split = (numbers.split || 0) + paper.split.length;
  }
  for (const chip of filters.querySelectorAll("[data-status]")) {
    const n = numbers[chip.dataset.status] || 0;
    chip.querySelector(".n").textContent = pager ? `${number(n)} here` : n;
    chip.hidden = n === 0 && !wanted.has(chip.dataset.status);
  }
}

const many = (paper, status) => paper.marks.filter((mark) => mark === status).length;
const ORDER = {
  run: () => 0,
  name: (a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }),
  reported: (a, b) => many(b, "reported") - many(a, "reported"),
  withheld: (a, b) => many(b, "withheld") + many(b, "failed") - many(a, "withheld") - many(a, "failed"),
  mine: (a, b) => a.mine.filter(Boolean).length - b.mine.filter(Boolean).length,
};
const RANK = ["reported", "withheld", "failed", "not_reported", "unreadable", null];

function arrange() {
  const typed = pager ? "" : filters.text.value.trim().toLowerCase();
  const fits = (paper) => !typed || `${paper.name} ${paper.title}`.toLowerCase().includes(typed);
  const has = (paper) => !wanted.size || paper.marks.some((status, index) => marked(paper, status, index));
  const shown = view.papers.filter((paper) => fits(paper) && has(paper)).sort(ORDER[filters.sort.value]);
  if (column !== null) shown.sort((a, b) => RANK.indexOf(a.marks[column]) - RANK.indexOf(b.marks[column]));
  table.tHead.querySelectorAll("th").forEach((cell, index) => cell.setAttribute("aria-sort", column !== null && index === column + 1 ? "descending" : "none"));
  const lines = shown.map((paper) => {
    const made = rows.get(paper.name);
    if (made.cells) paint(made);
    return made.line;
  });
  const body = table.tBodies[0];
  if (body.children.length !== lines.length || lines.some((line, index) => body.children[index] !== line)) body.replaceChildren(...lines);
  if (pager) covers(shown.length);
  else document.getElementById("shown").textContent = shown.length === view.papers.length ? "" : `${shown.length} of ${view.papers.length} papers shown`;
}

function walk(event) { // arrow keys go from cell to cell
  const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  const cell = event.target.closest("tbody td, tbody th");
  if (!steps[event.key] || !cell) return;
  const [down, right] = steps[event.key];
  const line = table.tBodies[0].rows[cell.parentElement.sectionRowIndex + down];
  if (line) fill(rows.get(line.dataset.paper));
  const next = line?.cells[cell.cellIndex + right]?.querySelector("a");
  if (next) { event.preventDefault(); next.focus(); }
}

// --- how far the run is ---

const bar = document.getElementById("progress");
let seen = null;
function progress(state) {
  const p = state.progress;
  const going = state.jobs.filter((job) => job.state === "running" || job.state === "waiting");
  bar.hidden = !p || (p.ended && !going.length) || p.cells_done >= p.cells;
  if (bar.hidden) { seen = null; return; }
  const now = Date.now();
  if (!seen || seen.run !== p.run) seen = { run: p.run, at: now, done: p.cells_done, moved: 0 };
  if (p.cells_done > seen.last) seen.moved = now;
  seen.last = p.cells_done;
  const speed = (p.cells_done - seen.done) / Math.max(1, now - seen.at);
  const left = speed > 0 ? Math.ceil((p.cells - p.cells_done) / speed / 1000) : null;
  const eta = left === null ? "" : left < 90 ? `, about ${left} s left` : `, about ${Math.round(left / 60)} min left`;
  bar.querySelector(".says").textContent = `${p.papers_read} of ${p.papers} papers read, ${p.cells_done} of ${p.cells} cells answered${eta}`;
  bar.querySelector("progress").value = p.cells ? p.cells_done / p.cells : 0;
}
