// One cell: the page with marked sentences, and decisions by button or key. The server keeps all state.

import { correctedFacts, fillFacts } from "./facts_form.js";
import { askName, base, call, isTyping, notify, reviewer, text } from "./session.js";

const SVG = "http://www.w3.org/2000/svg";
const cell = document.getElementById("cell");
const { sha, question, queue, seed } = cell.dataset;
const pages = Number(cell.dataset.pages);
const sheet = document.getElementById("sheet");
const panel = document.getElementById("panel");
const reading = document.getElementById("reading"); // the text of a paper without pages
const texts = new Map(); // sentences by page
let marked = JSON.parse(document.getElementById("marked").textContent);
let page = 0;
let correcting = false;
let picked = [];
let deciding = false; // a second key press before the next cell opens must not decide again

const pageUrl = (number) => `/api/papers/${sha}/pages/${number}`;

// --- the page -------------------------------------------------------------------------------------------------------

async function openPage(number) {
  if (!sheet || number < 1 || number > pages) return;
  page = number;
  document.getElementById("page-number").textContent = `Page ${number} of ${pages}`;
  document.getElementById("previous-page").disabled = number === 1;
  document.getElementById("next-page").disabled = number === pages;
  const image = sheet.querySelector("img");
  image.alt = `Page ${number} of ${cell.dataset.pages}`;
  sheet.classList.add("loading");
  image.src = `${base}${pageUrl(number)}/picture`;
  try {
    if (!texts.has(number)) texts.set(number, await call(pageUrl(number)));
    if (page === number) drawBoxes();
  } catch (error) {
    showUnavailable(error.message);
  }
}

function showUnavailable(message) {
  const note = document.getElementById("page-unavailable");
  note.hidden = false;
  note.textContent = message;
}

function drawBoxes() {
  const content = texts.get(page);
  const image = sheet.querySelector("img");
  image.width = Math.round(content.width * 2);
  image.height = Math.round(content.height * 2);
  const svg = sheet.querySelector("svg");
  svg.setAttribute("viewBox", `0 0 ${content.width} ${content.height}`);
  const onPage = (places) => places.filter((place) => place.page === page).flatMap((place) => place.boxes);
  const quoted = [...onPage(marked.quotes), ...onPage(marked.own)];
  const uncovered = ([x0, y0, x1, y1]) => !quoted.some(([a0, b0, a1, b1]) => x0 < a1 && a0 < x1 && y0 < b1 - 1 && b0 < y1 - 1);
  const shapes = [group(onPage(marked.passages).filter(uncovered), "other"), group(onPage(marked.quotes), "quote"), group(onPage(marked.own), "picked")];
  if (correcting) shapes.push(...content.sentences.map(pickable));
  svg.replaceChildren(...shapes);
}

// Boxes of one kind are one translucent shape, however they overlap
function group(boxes, kind) {
  const shape = document.createElementNS(SVG, "g");
  shape.setAttribute("class", `boxes ${kind}`);
  shape.append(...(kind === "other" ? [] : rects(boxes, "edge")), ...rects(boxes, `box ${kind}`));
  return shape;
}

function rects(boxes, className) {
  return boxes.map(([x0, y0, x1, y1]) => {
    const box = document.createElementNS(SVG, "rect");
    for (const [name, value] of Object.entries({ x: x0 - 1, y: y0 - 1, width: x1 - x0 + 2, height: y1 - y0 + 2, class: className })) box.setAttribute(name, value);
    return box;
  });
}

function pickable(sentence) {
  const group = document.createElementNS(SVG, "g");
  const chosen = picked.some((other) => other.start === sentence.start && other.end === sentence.end);
  group.setAttribute("class", `sentence${chosen ? " chosen" : ""}`);
  group.setAttribute("tabindex", "0");
  group.setAttribute("role", "button");
  group.setAttribute("aria-pressed", String(chosen));
  group.setAttribute("aria-label", sentence.text);
  group.append(...rects(sentence.boxes, "pick"));
  const toggle = () => {
    picked = chosen ? picked.filter((other) => other.start !== sentence.start) : [...picked, sentence];
    listPicked();
    drawBoxes();
  };
  group.addEventListener("click", toggle);
  group.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); event.stopPropagation(); toggle(); } });
  return group;
}

function listPicked() {
  document.getElementById("picked").replaceChildren(...picked.map((sentence) => {
    const item = text("li", sentence.text);
    const remove = text("button", "Remove");
    remove.type = "button";
    remove.setAttribute("aria-label", `Remove: ${sentence.text}`);
    remove.addEventListener("click", () => { picked = picked.filter((other) => other !== sentence); listPicked(); if (sheet) drawBoxes(); markPicked(); });
    item.append(" ", remove);
    return item;
  }));
}

// --- a paper without pages ---------------------------------------------------------------------------------------------

function showSentence(offset) {
  const sentences = [...reading.querySelectorAll(".sentence")];
  const sentence = sentences.find((each) => Number(each.dataset.end) > offset) ?? sentences[0];
  sentence?.scrollIntoView({ block: "center" });
}

function markPicked() {
  if (!reading) return;
  for (const each of reading.querySelectorAll(".sentence")) {
    const chosen = picked.some((other) => other.start < Number(each.dataset.end) && Number(each.dataset.start) < other.end);
    each.classList.toggle("chosen", correcting && chosen);
    if (correcting) {
      each.tabIndex = 0;
      each.setAttribute("role", "button");
      each.setAttribute("aria-pressed", String(chosen));
    } else {
      for (const name of ["tabindex", "role", "aria-pressed"]) each.removeAttribute(name);
    }
  }
  reading.classList.toggle("picking", correcting);
}

function toggleSentence(each) {
  if (!correcting || !each) return;
  const start = Number(each.dataset.start), end = Number(each.dataset.end);
  const chosen = picked.some((other) => other.start < end && start < other.end);
  picked = chosen ? picked.filter((other) => !(other.start < end && start < other.end)) : [...picked, { start, end, text: each.textContent }];
  listPicked();
  markPicked();
}

reading?.addEventListener("click", (event) => toggleSentence(event.target.closest(".sentence")));
reading?.addEventListener("keydown", (event) => {
  const each = event.target.closest(".sentence");
  if (correcting && each && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); event.stopPropagation(); toggleSentence(each); }
});

// --- decisions ------------------------------------------------------------------------------------------------------

// A decision keeps the note and the tags that the form has
async function decide(status, details = {}) {
  if (!reviewer) return askName();
  if (deciding) return;
  deciding = true;
  const form = document.getElementById("correction");
  const tags = form.tags.value.split(",").map((tag) => tag.trim()).filter(Boolean);
  const adjudicates = "adjudicates" in cell.dataset;
  try {
    await call("/api/annotations", { paper_sha256: sha, question, status, note: form.note.value, tags, adjudicates, ...details });
    const saved = `Saved: ${status === "withheld" ? "unsure" : status.replace("_", " ")}.`;
    if (cell.dataset.next && document.getElementById("advance").checked) {
      sessionStorage.setItem(SAVED, `${saved} Press z to undo.`);
      return next();
    }
    await refresh();
    notify(`${saved} ${cell.dataset.next ? "Press n for the next cell, z to undo." : "This was the last cell of the queue."}`);
  } catch (error) {
    notify(error.message, { problem: true });
  }
  deciding = false;
}

// The next cell opens after a decision, unless the reviewer has turned that off in this browser
const ADVANCE = "methodlens-advance", SAVED = "methodlens-saved";
function showAdvance() {
  const box = document.getElementById("advance");
  if (box) box.checked = localStorage.getItem(ADVANCE) !== "off";
}
panel.addEventListener("change", (event) => {
  if (event.target.id === "advance") localStorage.setItem(ADVANCE, event.target.checked ? "on" : "off");
});

async function undo() {
  if (!reviewer) return askName();
  try {
    const undone = await call("/api/undo", {});
    if (undone.paper_sha256 === sha && undone.question === question) { await refresh(); notify("Decision withdrawn."); }
    else location.href = `${base}/cells/${undone.paper_sha256}/${encodeURIComponent(undone.question)}?queue=${queue}&seed=${seed}`;
  } catch (error) {
    notify(error.message, { problem: true });
  }
}

// Replaces the panel by that of a fresh copy of this page
async function refresh() {
  const fresh = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
  if (!fresh.getElementById("panel")) throw new Error(fresh.querySelector("main p")?.textContent || "Reload the page to see your decision.");
  panel.replaceChildren(...fresh.getElementById("panel").childNodes);
  document.querySelector(".trail").replaceWith(fresh.querySelector(".trail"));
  cell.dataset.next = fresh.getElementById("cell").dataset.next;
  marked = JSON.parse(fresh.getElementById("marked").textContent);
  toggleCorrection(false);
  showAdvance();
  if (texts.has(page)) drawBoxes();
  markPicked();
}

function toggleCorrection(on) {
  correcting = on;
  const form = document.getElementById("correction");
  form.hidden = !on;
  panel.querySelector("[data-action=correct]").setAttribute("aria-expanded", String(on));
  sheet?.classList.toggle("picking", on);
  picked = on ? [...marked.picked] : [];
  listPicked();
  if (texts.has(page)) drawBoxes();
  markPicked();
  if (on && innerWidth < 960) sheet?.scrollIntoView({ block: "start" });
  if (on) fillFacts();
  if (on) (form.querySelector("input:checked") || form.querySelector("input")).focus({ preventScroll: true });
}

function next() {
  if (cell.dataset.next) location.href = `${cell.dataset.next}?queue=${queue}&seed=${seed}`;
  else notify("This was the last cell of the queue.");
}

const ACTIONS = {
  agree: (button) => decide(button.dataset.status),
  decide: (button) => decide(button.dataset.status),
  unsure: () => decide("withheld"),
  side: (button) => { const { status, ...details } = marked.sides[button.dataset.index]; return decide(status, details); },
  annotate: () => { if (!reviewer) return askName(); toggleCorrection(true); document.getElementById("note").focus(); },
  correct: () => (reviewer ? toggleCorrection(!correcting) : askName()),
  cancel: () => toggleCorrection(false),
  undo,
  next,
  more: (button) => { panel.querySelectorAll(".more").forEach((item) => { item.hidden = false; }); button.remove(); },
};

panel.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button?.dataset.action) ACTIONS[button.dataset.action](button);
  else if (button?.dataset.offset) showSentence(Number(button.dataset.offset));
  else if (button?.dataset.page) { openPage(Number(button.dataset.page)); sheet?.scrollIntoView({ block: "nearest" }); }
});
panel.addEventListener("submit", (event) => {
  event.preventDefault();
  const form = event.target;
  const sentences = picked.map(({ start, end }) => ({ start, end }));
  // a reader's answer that was left as it is is not the reviewer's
  const answer = "prefilled" in form.answer.dataset && form.answer.value === form.answer.defaultValue ? "" : form.answer.value;
  decide(form.status.value, { answer, sentences, facts: correctedFacts() });
});

async function copyLink() {
  const address = `${location.origin}${location.pathname}`;
  try {
    await navigator.clipboard.writeText(address);
    notify("Copied the link to this cell.");
  } catch { // no permission, or no TLS
    notify(address);
  }
}
document.getElementById("copy-link").addEventListener("click", copyLink);

document.getElementById("previous-page")?.addEventListener("click", () => openPage(page - 1));
document.getElementById("next-page")?.addEventListener("click", () => openPage(page + 1));
sheet?.querySelector("img").addEventListener("load", () => sheet.classList.remove("loading"));
sheet?.querySelector("img").addEventListener("error", async () => {
  try { await call(`${pageUrl(page)}/picture`); } catch (error) { showUnavailable(error.message); }
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && correcting) return toggleCorrection(false);
  const form = document.getElementById("correction");
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && correcting) return form.requestSubmit();
  if (isTyping(event)) return;
  const press = (name) => panel.querySelector(`[data-action=${name}]`)?.click();
  const side = panel.querySelectorAll("[data-action=side]")[Number(event.key) - 1];
  const keys = {
    a: () => (panel.querySelector("[data-action=agree]") ? press("agree") : notify("There is no verdict to agree with. Press 1 for reported or 2 for not reported.")),
    c: () => press("correct"),
    u: () => press("unsure"),
    n: next,
    z: undo,
    t: () => press("annotate"),
    l: copyLink,
    1: () => decide("reported"),
    2: () => decide("not_reported"),
    "[": () => openPage(page - 1),
    "]": () => openPage(page + 1),
    m: () => { location.href = document.getElementById("home").href; },
  };
  if (event.repeat) return;
  if (side) { event.preventDefault(); side.click(); }
  else if (keys[event.key] && !("adjudicates" in cell.dataset && "12u".includes(event.key))) { event.preventDefault(); keys[event.key](); }
});

// --- start ----------------------------------------------------------------------------------------------------------

openPage(Number(cell.dataset.page));
["picked", "quote", "passage"].map((kind) => reading?.querySelector(`mark.${kind}`)).find(Boolean)?.scrollIntoView({ block: "center" });
showAdvance();
if (sessionStorage.getItem(SAVED)) notify(sessionStorage.getItem(SAVED));
sessionStorage.removeItem(SAVED);
// the server renders the next cell's page while the reviewer reads this one
if (cell.dataset.next) {
  requestIdleCallback(async () => {
    const [nextSha, nextQuestion] = cell.dataset.next.split("/").slice(-2);
    const view = await call(`/api/cells/${nextSha}/${nextQuestion}`).catch(() => null);
    if (view?.pages) new Image().src = `${base}/api/papers/${nextSha}/pages/${view.page}/picture`;
  });
}
