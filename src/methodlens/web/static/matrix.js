// The matrix: built once, then only changed cells are updated. Text from papers is only ever set as textContent.

import { base, call, follow, isTyping, notify, plain, text } from "./session.js";

const MARKS = { reported: "●", not_reported: "○", withheld: "?", failed: "!", unreadable: "–" };
const label = (status) => status.replace("_", " ");
const table = document.getElementById("matrix");
const filters = document.getElementById("filters");
const frame = document.querySelector(".matrix-frame");
const pager = document.getElementById("pager"); // only if there is more than one page
const rows = new Map();
const formatted = (n) => n.toLocaleString("en");
let page = Number(pager?.dataset.page || 1);
let find = ""; // the search, from this page on
let shownFind = ""; // the search whose results are shown
let view = null;
let column = null; // the question to sort by
const selected = new Set(); // the verdicts to filter by
const marksOf = (paper) => (filters.words?.value === "readers" ? paper.marks : paper.final);
let refreshing = Promise.resolve();

if (table) start();
else follow((state) => { if (state.progress?.papers_read) location.reload(); }); // another process has started a run

async function start() {
  filters.addEventListener("input", arrange);
  filters.addEventListener("submit", (event) => event.preventDefault());
  filters.addEventListener("click", (event) => {
    const filter = event.target.closest("[data-status]");
    if (!filter) return;
    const on = filter.getAttribute("aria-pressed") !== "true";
    filter.setAttribute("aria-pressed", String(on));
    selected[on ? "add" : "delete"](filter.dataset.status);
    arrange();
  });
  frame.addEventListener("keydown", moveFocus);
  for (const kind of ["pointerover", "focusin"]) frame.addEventListener(kind, (event) => showTooltip(event.target.closest("tbody td a")));
  for (const kind of ["pointerleave", "focusout"]) frame.addEventListener(kind, () => showTooltip(null));
  frame.addEventListener("scroll", () => showTooltip(null), { passive: true });
  document.addEventListener("keydown", pressKey);
  if (pager) {
    filters.text.placeholder = "Find in all papers";
    filters.text.addEventListener("input", () => { clearTimeout(searchTimer); searchTimer = setTimeout(search, 400); });
    filters.text.addEventListener("change", search);
    countQueues();
  }
  await refresh();
  scrollToCell();
  let last = null; // the first state refreshes too: the run may have gone on since the matrix was loaded
  follow((state) => {
    showProgress(state);
    const now = JSON.stringify(state.progress && [state.progress.run, state.progress.cells_done, state.progress.papers_read, state.progress.annotations]);
    if (now !== last) refreshSoon();
    last = now;
  });
}

let refreshTimer = null;
function refreshSoon() { // at most once per second while a run is in progress
  refreshTimer ??= setTimeout(() => { refreshTimer = null; refresh(); }, 1000);
}

function refresh() { // one at a time, so that a slow response cannot replace a newer one
  refreshing = refreshing.then(load);
  return refreshing;
}

async function load() {
  try {
    const requested = find;
    const fresh = await call(`/api/matrix?page=${page}&find=${encodeURIComponent(find)}`);
    if (requested !== find) return; // the search has changed meanwhile
    if (view && (fresh.page !== view.page || requested !== shownFind)) frame.scrollTop = 0;
    shownFind = requested;
    if (view && (fresh.run !== view.run || fresh.questions.length !== view.questions.length)) return location.reload();
    const first = !view;
    view = fresh;
    if (first) buildHead();
    view.papers.forEach(updateRow);
    const names = new Set(view.papers.map((paper) => paper.name));
    for (const [name, row] of rows) if (!names.has(name)) { row.line.remove(); rows.delete(name); }
    listTags();
    answers.clear();
    arrange();
  } catch (error) {
    notify(error.message, { problem: true });
  }
}

// --- pages and search ---

let searchTimer = null;
function search() {
  clearTimeout(searchTimer);
  const typed = filters.text.value.trim();
  if (typed === find) return;
  find = typed;
  page = find ? 1 : Number(pager.dataset.page);
  document.getElementById("shown").textContent = "Searching …";
  refresh();
}

async function countQueues() {
  try {
    for (const { queue, left } of await call("/api/queues")) {
      const card = document.querySelector(`[data-queue=${queue}]`);
      card.querySelector(".count").textContent = formatted(left);
      card.toggleAttribute("data-done", left === 0);
    }
  } catch (error) {
    notify(error.message, { problem: true });
  }
}

function pressKey(event) {
  if (event.key === "Escape") showTooltip(null);
  if (event.key === "Escape" && event.target === filters.text) {
    filters.text.value = "";
    filters.text.dispatchEvent(new Event("input", { bubbles: true }));
  }
  if (isTyping(event) || event.repeat) return;
  const keys = {
    "[": () => pager?.querySelector("[rel=prev][href]")?.click(),
    "]": () => pager?.querySelector("[rel=next][href]")?.click(),
    "/": () => filters.text.focus(),
    i: () => document.querySelector(".queue")?.click(),
  };
  if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
}

function scrollToCell() { // on the way back from a cell, whose address is #CHECKSUM:QUESTION
  const [sha, question = ""] = location.hash.slice(1).split(":").map(decodeURIComponent);
  const paper = sha && view?.papers.find((candidate) => candidate.sha256 === sha);
  if (!paper) return;
  const row = rows.get(paper.name);
  row.line.scrollIntoView({ block: "center" });
  fill(row);
  const index = view.questions.findIndex((candidate) => candidate.id === question);
  (row.cells[index]?.firstChild ?? row.link).focus({ preventScroll: true });
}

// --- short answers ---

const answers = new Map(); // by the checksum of a paper
const tooltip = document.getElementById("tooltip");
let pointedAt = null;

async function showTooltip(link) {
  pointedAt = link;
  tooltip.hidden = !link;
  if (!link) return;
  const { sha, question } = link.dataset;
  tooltip.replaceChildren(text("p", link.getAttribute("aria-label"), "small soft"));
  placeTooltip(link);
  if (!sha) return;
  if (!answers.has(sha)) answers.set(sha, call(`/api/papers/${sha}/answers`).catch(() => ({})));
  const answer = (await answers.get(sha))[question];
  if (answer && pointedAt === link) { tooltip.append(text("p", answer)); placeTooltip(link); }
}

function placeTooltip(link) { // below the cell, or above it if there is no space
  const cell = link.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = tooltip;
  const top = cell.bottom + 6 + height > innerHeight ? cell.top - height - 6 : cell.bottom + 6;
  tooltip.style.left = `${Math.max(8, Math.min(innerWidth - width - 8, cell.left))}px`;
  tooltip.style.top = `${Math.max(8, top)}px`;
}

function describeResults(shown) {
  const [from, to] = [(view.page - 1) * pager.dataset.size + 1, Math.min(view.until * pager.dataset.size, view.total)];
  const summary = document.getElementById("shown");
  pager.hidden = Boolean(find);
  if (!find) { summary.textContent = shown === view.papers.length ? "" : `${formatted(shown)} of the ${formatted(view.papers.length)} papers on this page shown`; return; }
  summary.textContent = `${formatted(view.papers.length)} found in papers ${formatted(from)}–${formatted(to)} of ${formatted(view.total)}${shown === view.papers.length ? "" : `, ${formatted(shown)} of them shown`}. `;
  if (view.until >= view.pages) return;
  const more = text("button", "Search the next pages");
  more.type = "button";
  more.addEventListener("click", () => { page = view.until + 1; refresh(); });
  summary.append(more);
}

function buildHead() {
  const line = document.createElement("tr");
  line.append(text("th", "Paper"));
  line.firstChild.scope = "col";
  view.questions.forEach((question, index) => {
    const cell = document.createElement("th");
    cell.scope = "col";
    const button = document.createElement("button");
    button.append(text("span", question.title || question.text, "upright"), " ", text("span", question.number, "number"));
    button.type = "button";
    button.title = `Sort by ${question.id}: ${question.title || question.text}`;
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

// In long lists only visible rows have cells: 500 papers have 14,000 of them
const MAX_ROWS_FILLED = 60;
const visibility = new IntersectionObserver((entries) => {
  for (const entry of entries) (entry.isIntersecting ? fill : clear)(rows.get(entry.target.dataset.paper));
}, { root: frame, rootMargin: "800px 0px" });

function updateRow(paper) {
  let row = rows.get(paper.name);
  if (!row) {
    const line = document.createElement("tr");
    line.dataset.paper = paper.name;
    const name = document.createElement("th");
    name.scope = "row";
    const link = document.createElement("a");
    link.append(text("span", paper.name, "name"), " ", text("span", "", "chip"), " ", text("span", "", "title"));
    name.append(link);
    line.append(name, placeholder());
    row = { line, link, cells: null, shown: [] };
    rows.set(paper.name, row);
  }
  row.paper = paper;
  const title = plain(paper.status === "ok" ? `${(paper.flags || []).includes("no_dl") ? "does not use deep learning · " : ""}${paper.title}` : `${label(paper.status)}: ${paper.reason}`);
  row.link.lastChild.textContent = title;
  const original = paper.duplicate_of ? `duplicate of ${paper.duplicate_of}` : "";
  row.link.querySelector(".chip").textContent = original && "duplicate";
  row.link.title = plain([paper.name, title, original].filter(Boolean).join(": "));
  if (paper.sha256) row.link.href = cellUrl(paper, 0);
  if (row.cells) paint(row);
  else if (view.papers.length <= MAX_ROWS_FILLED) fill(row);
  else visibility.observe(row.line);
}

function fill(row) {
  if (!row || row.cells) return;
  row.cells = view.questions.map(() => {
    const cell = document.createElement("td");
    cell.append(document.createElement("a"));
    return cell;
  });
  row.line.lastChild.replaceWith(...row.cells); // the first cell stays, because it may have the focus
  paint(row);
}

function clear(row) {
  if (!row?.cells || row.line.contains(document.activeElement)) return;
  row.line.replaceChildren(row.line.firstChild, placeholder());
  row.cells = null;
  row.shown = [];
}

function placeholder() {
  const cell = text("td", "", "blank");
  cell.colSpan = view.questions.length;
  return cell;
}

function paint(row) {
  const { paper } = row;
  marksOf(paper).forEach((status, index) => {
    const own = paper.mine[index];
    const split = paper.split.includes(index);
    const dim = (selected.size > 0 && !matches(paper, status, index)) || (chosenTag() && !isTagged(paper, index));
    const reviewed = paper.reviewed.includes(index);
    const key = `${status}/${own}/${split}/${reviewed}/${dim}/${paper.sha256}`;
    if (row.shown[index] === key) return;
    row.shown[index] = key;
    draw(row.cells[index], paper, index, status, own, { split, reviewed });
    row.cells[index].classList.toggle("dim", dim);
  });
}

const matches = (paper, status, index) => selected.has(status) || (selected.has("split") && paper.split.includes(index));
const chosenTag = () => filters.tag.value;
const isTagged = (paper, index) => (paper.tags[chosenTag()] || []).includes(index);

function draw(cell, paper, index, status, own, { split, reviewed }) {
  const link = cell.firstChild;
  const question = view.questions[index];
  const decided = own === "reported" || own === "not_reported";
  const verdict = paper.marks[index];
  const differs = decided && (verdict === "reported" || verdict === "not_reported") && own !== verdict;
  cell.className = [status || "blank", split && "split", reviewed && "reviewed", own && "own", own && (differs ? "differs" : decided ? "agrees" : "open")].filter(Boolean).join(" ");
  link.textContent = status ? MARKS[status] : "·";
  if (paper.sha256) { link.href = cellUrl(paper, index); Object.assign(link.dataset, { sha: paper.sha256, question: question.id }); }
  const mine = own ? `; you: ${own === "withheld" ? "unsure" : label(own)}` : "";
  const tags = Object.keys(paper.tags).filter((tag) => paper.tags[tag].includes(index));
  const description = `${paper.name}, ${question.id} ${question.title || question.text}: ${status ? label(status) : "no verdict yet"}${split ? ", readers disagree" : ""}${reviewed ? ", reviewed" : ""}${mine}${tags.length ? `; tags: ${tags.join(", ")}` : ""}`;
  link.setAttribute("aria-label", plain(description));
}

const cellUrl = (paper, index) => `${base}/cells/${paper.sha256}/${encodeURIComponent(view.questions[index].id)}`;

function countVerdicts() {
  const counts = {};
  for (const paper of view.papers) {
    for (const status of marksOf(paper)) if (status) counts[status] = (counts[status] || 0) + 1;
    counts.split = (counts.split || 0) + paper.split.length;
  }
  for (const filter of filters.querySelectorAll("[data-status]")) {
    const n = counts[filter.dataset.status] || 0;
    filter.querySelector(".n").textContent = pager ? `${formatted(n)} here` : n;
    filter.hidden = n === 0 && !selected.has(filter.dataset.status);
  }
}

function listTags() {
  const tags = [...new Set(view.papers.flatMap((paper) => Object.keys(paper.tags)))].sort((a, b) => a.localeCompare(b));
  const chosen = chosenTag();
  filters.tag.replaceChildren(...["", ...tags].map((tag) => { const option = text("option", tag || "any"); option.value = tag; return option; }));
  filters.tag.value = tags.includes(chosen) ? chosen : "";
  document.getElementById("tag-filter").hidden = !tags.length;
}

const countOf = (paper, status) => marksOf(paper).filter((mark) => mark === status).length;
const ORDER = {
  run: () => 0,
  name: (a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }),
  reported: (a, b) => countOf(b, "reported") - countOf(a, "reported"),
  withheld: (a, b) => countOf(b, "withheld") + countOf(b, "failed") - countOf(a, "withheld") - countOf(a, "failed"),
  mine: (a, b) => a.mine.filter(Boolean).length - b.mine.filter(Boolean).length,
};
const RANK = ["reported", "withheld", "failed", "not_reported", "unreadable", null];

function arrange() {
  countVerdicts();
  const typed = pager ? "" : filters.text.value.trim().toLowerCase();
  const fits = (paper) => !typed || `${paper.name} ${paper.title}`.toLowerCase().includes(typed);
  const wanted = (paper, status, index) => (!selected.size || matches(paper, status, index)) && (!chosenTag() || isTagged(paper, index));
  const has = (paper) => (!selected.size && !chosenTag()) || marksOf(paper).some((status, index) => wanted(paper, status, index));
  const shown = view.papers.filter((paper) => fits(paper) && has(paper)).sort(ORDER[filters.sort.value]);
  if (column !== null) shown.sort((a, b) => RANK.indexOf(marksOf(a)[column]) - RANK.indexOf(marksOf(b)[column]));
  table.tHead.querySelectorAll("th").forEach((cell, index) => cell.setAttribute("aria-sort", column !== null && index === column + 1 ? "descending" : "none"));
  const lines = shown.map((paper) => {
    const row = rows.get(paper.name);
    if (row.cells) paint(row);
    return row.line;
  });
  const body = table.tBodies[0];
  if (body.children.length !== lines.length || lines.some((line, index) => body.children[index] !== line)) body.replaceChildren(...lines);
  if (pager) describeResults(shown.length);
  else document.getElementById("shown").textContent = shown.length === view.papers.length ? "" : `${shown.length} of ${view.papers.length} papers shown`;
}

function moveFocus(event) { // arrow keys move between cells
  const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  const cell = event.target.closest("tbody td, tbody th");
  if (!steps[event.key] || !cell) return;
  const [down, right] = steps[event.key];
  const line = table.tBodies[0].rows[cell.parentElement.sectionRowIndex + down];
  if (line) fill(rows.get(line.dataset.paper));
  const next = line?.cells[cell.cellIndex + right]?.querySelector("a");
  if (next) { event.preventDefault(); next.focus(); }
}

// --- progress ---

const bar = document.getElementById("progress");
let first = null; // the first progress seen of this run, for the estimate of the time left
function showProgress(state) {
  const p = state.progress;
  const active = state.jobs.filter((job) => job.state === "running" || job.state === "waiting");
  bar.hidden = !p || (p.ended && !active.length) || p.cells_done >= p.cells;
  if (bar.hidden) { first = null; return; }
  const now = Date.now();
  if (!first || first.run !== p.run) first = { run: p.run, at: now, done: p.cells_done };
  const speed = (p.cells_done - first.done) / Math.max(1, now - first.at);
  const left = speed > 0 ? Math.ceil((p.cells - p.cells_done) / speed / 1000) : null;
  const eta = left === null ? "" : left < 90 ? `, about ${left} s left` : `, about ${Math.round(left / 60)} min left`;
  bar.querySelector(".progress-text").textContent = `${p.papers_read} of ${p.papers} papers read, ${p.cells_done} of ${p.cells} cells answered${eta}`;
  bar.querySelector("progress").value = p.cells ? p.cells_done / p.cells : 0;
}
