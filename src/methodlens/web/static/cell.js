// One cell: the page with its boxes, and decisions by keyboard. Nothing here decides anything: the server keeps every word.

import { askName, call, me, tell, text } from "./session.js";

const SVG = "http://www.w3.org/2000/svg";
const cell = document.getElementById("cell");
const { sha, question, queue, seed } = cell.dataset;
const pages = Number(cell.dataset.pages);
const sheet = document.getElementById("sheet");
const panel = document.getElementById("panel");
const texts = new Map(); // what stands on which page
let spots = JSON.parse(document.getElementById("spots").textContent);
let page = 0;
let correcting = false;
let picked = [];

const where = (number) => `/api/papers/${sha}/pages/${number}`;

// --- the page -------------------------------------------------------------------------------------------------------

async function turn(number) {
  if (!sheet || number < 1 || number > pages) return;
  page = number;
  document.getElementById("where").textContent = `Page ${number} of ${pages}`;
  document.getElementById("back").disabled = number === 1;
  document.getElementById("forth").disabled = number === pages;
  const image = sheet.querySelector("img");
  image.alt = `Page ${number} of ${cell.dataset.pages}`;
  sheet.classList.add("drawing");
  image.src = `${where(number)}/picture`;
  try {
    if (!texts.has(number)) texts.set(number, await call(where(number)));
    if (page === number) boxes();
  } catch (error) {
    gone(error.message);
  }
}

function gone(message) {
  const note = document.getElementById("gone");
  note.hidden = false;
  note.textContent = message;
}

function boxes() {
  const found = texts.get(page);
  const image = sheet.querySelector("img");
  image.width = Math.round(found.width * 2);
  image.height = Math.round(found.height * 2);
  const drawing = sheet.querySelector("svg");
  drawing.setAttribute("viewBox", `0 0 ${found.width} ${found.height}`);
  const on = (list) => list.filter((spot) => spot.page === page).flatMap((spot) => spot.boxes);
  const inked = [...on(spots.quotes), ...on(spots.own)];
  const free = ([x0, y0, x1, y1]) => !inked.some(([a0, b0, a1, b1]) => x0 < a1 && a0 < x1 && y0 < b1 - 1 && b0 < y1 - 1);
  const shapes = [...rects(on(spots.passages).filter(free), "box other"), ...rects(on(spots.quotes), "box quote"), ...rects(on(spots.own), "box picked")];
  if (correcting) shapes.push(...found.sentences.map(pickable));
  drawing.replaceChildren(...shapes);
}

function rects(list, className) {
  return list.map(([x0, y0, x1, y1]) => {
    const box = document.createElementNS(SVG, "rect");
    for (const [name, value] of Object.entries({ x: x0 - 1, y: y0 - 1, width: x1 - x0 + 2, height: y1 - y0 + 2, class: className })) box.setAttribute(name, value);
    return box;
  });
}

function pickable(sentence) {
  const group = document.createElementNS(SVG, "g");
  const chosen = picked.some((one) => one.start === sentence.start && one.end === sentence.end);
  group.setAttribute("class", `sentence${chosen ? " chosen" : ""}`);
  group.setAttribute("tabindex", "0");
  group.setAttribute("role", "button");
  group.setAttribute("aria-pressed", String(chosen));
  group.setAttribute("aria-label", sentence.text);
  group.append(...rects(sentence.boxes, "pick"));
  const toggle = () => {
    picked = chosen ? picked.filter((one) => one.start !== sentence.start) : [...picked, sentence];
    listPicked();
    boxes();
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
    remove.addEventListener("click", () => { picked = picked.filter((one) => one !== sentence); listPicked(); boxes(); });
    item.append(" ", remove);
    return item;
  }));
}

// --- decisions ------------------------------------------------------------------------------------------------------

async function decide(status, more = {}) {
  if (!me) return askName();
  try {
    await call("/api/annotations", { paper_sha256: sha, question, status, ...more });
    await refresh();
    tell(`Kept: ${status === "withheld" ? "unsure" : status.replace("_", " ")}. Next with n, undo with z.`);
  } catch (error) {
    tell(error.message, { problem: true });
  }
}

async function undo() {
  if (!me) return askName();
  try {
    const back = await call("/api/undo", {});
    if (back.paper_sha256 === sha && back.question === question) { await refresh(); tell("Taken back."); }
    else location.href = `/cells/${back.paper_sha256}/${encodeURIComponent(back.question)}?queue=${queue}&seed=${seed}`;
  } catch (error) {
    tell(error.message, { problem: true });
  }
}

// The server's page again, its panel in place of ours
async function refresh() {
  const fresh = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
  if (!fresh.getElementById("panel")) throw new Error(fresh.querySelector("main p")?.textContent || "The page cannot be shown again: reload it.");
  panel.replaceChildren(...fresh.getElementById("panel").childNodes);
  document.querySelector(".trail").replaceWith(fresh.querySelector(".trail"));
  cell.dataset.next = fresh.getElementById("cell").dataset.next;
  spots = JSON.parse(fresh.getElementById("spots").textContent);
  correct(false);
  if (texts.has(page)) boxes();
}

function correct(on) {
  correcting = on;
  const form = document.getElementById("correction");
  form.hidden = !on;
  panel.querySelector("[data-do=correct]").setAttribute("aria-expanded", String(on));
  sheet?.classList.toggle("picking", on);
  picked = on ? [...spots.mine] : [];
  listPicked();
  if (texts.has(page)) boxes();
  if (on && innerWidth < 960) sheet?.scrollIntoView({ block: "start" });
  if (on) (form.querySelector("input:checked") || form.querySelector("input")).focus({ preventScroll: true });
}

function next() {
  if (cell.dataset.next) location.href = `${cell.dataset.next}?queue=${queue}&seed=${seed}`;
  else tell("That was the last one of this queue.");
}

const DO = {
  agree: (button) => decide(button.dataset.status),
  say: (button) => decide(button.dataset.status),
  unsure: () => decide("withheld"),
  correct: () => (me ? correct(!correcting) : askName()),
  cancel: () => correct(false),
  undo,
  next,
  more: (button) => { panel.querySelectorAll(".more").forEach((item) => { item.hidden = false; }); button.remove(); },
};

panel.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button?.dataset.do) DO[button.dataset.do](button);
  else if (button?.dataset.page) { turn(Number(button.dataset.page)); sheet?.scrollIntoView({ block: "nearest" }); }
});
panel.addEventListener("submit", (event) => {
  event.preventDefault();
  const form = event.target;
  const sentences = picked.map(({ start, end }) => ({ start, end }));
  decide(form.status.value, { answer: form.answer.value, note: form.note.value, sentences });
});

document.getElementById("back").addEventListener("click", () => turn(page - 1));
document.getElementById("forth").addEventListener("click", () => turn(page + 1));
sheet?.querySelector("img").addEventListener("load", () => sheet.classList.remove("drawing"));
sheet?.querySelector("img").addEventListener("error", async () => {
  try { await call(`${where(page)}/picture`); } catch (error) { gone(error.message); }
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && correcting) return correct(false);
  const form = document.getElementById("correction");
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && correcting) return form.requestSubmit();
  const typing = event.target.closest("input, textarea, select, #who");
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  const press = (name) => panel.querySelector(`[data-do=${name}]`)?.click();
  const keys = {
    a: () => (panel.querySelector("[data-do=agree]") ? press("agree") : tell("There is no verdict to agree with: press 1 for reported, 2 for not reported.")),
    c: () => press("correct"),
    u: () => press("unsure"),
    n: next,
    z: undo,
    1: () => decide("reported"),
    2: () => decide("not_reported"),
    "[": () => turn(page - 1),
    "]": () => turn(page + 1),
    m: () => { location.href = document.getElementById("home").href; },
  };
  if (keys[event.key] && !event.repeat) { event.preventDefault(); keys[event.key](); }
});

// --- begin ----------------------------------------------------------------------------------------------------------

turn(Number(cell.dataset.page));
// the next cell's page is drawn while this one is read
if (cell.dataset.next) {
  requestIdleCallback(async () => {
    const [, , other, asked] = cell.dataset.next.split("/");
    const found = await call(`/api/cells/${other}/${asked}`).catch(() => null);
    if (found?.pages) new Image().src = `/api/papers/${other}/pages/${found.page}/picture`;
  });
}
