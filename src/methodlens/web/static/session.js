// Shared by all pages: API calls, messages, the event stream, and the reviewer's name.

// The path that the room is served below, without a slash at its end
export const base = document.documentElement.dataset.base;

// `path` is one of the API's, such as /api/matrix
export async function call(path, body) {
  const options = body === undefined ? {} : body instanceof FormData ? { method: "POST", body }
    : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  let response;
  try {
    response = await fetch(base + path, options);
  } catch {
    throw new Error("The server does not respond. Is “methodlens serve” still running?");
  }
  if (response.status === 401) throw new Error("You are signed out. Copy what you have not saved, then reload the page to sign in.");
  const json = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(errorText(json.detail) || `The server responded with status ${response.status}`);
  return json;
}

function errorText(detail) {
  if (typeof detail === "string") return detail;
  return Array.isArray(detail) ? detail.map((error) => `${(error.loc || []).slice(-1)}: ${error.msg}`).join("; ") : "";
}

const toast = document.getElementById("toast");
let hideTimer;
export function notify(text, { problem = false } = {}) {
  toast.textContent = text;
  toast.className = `toast visible${problem ? " problem" : ""}`;
  clearTimeout(hideTimer);
  hideTimer = setTimeout(() => toast.classList.remove("visible"), problem ? 8000 : 3000);
}

// A problem with the ledger stays visible until it is solved
const problemBar = document.getElementById("problem");
function showProblem(message) {
  if (problemBar.textContent !== message) problemBar.textContent = message;
  problemBar.hidden = !message;
}

// Replaces control characters and text direction overrides, as the server does in its pages
export const plain = (content) => String(content).replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, " ");

export const text = (tag, content, className = "") => {
  const element = document.createElement(tag);
  element.textContent = plain(content);
  if (className) element.className = className;
  return element;
};

// Calls `onChange` with the state of the run and of jobs, now and whenever it changes
export function follow(onChange) {
  const stream = new EventSource(`${base}/api/events`);
  stream.addEventListener("state", (event) => { showProblem(""); onChange(JSON.parse(event.data)); });
  stream.addEventListener("trouble", (event) => showProblem(JSON.parse(event.data).detail));
  addEventListener("pagehide", () => stream.close());
}

const form = document.getElementById("session");
const menu = document.getElementById("reviewer");
const nameField = form.annotator; // in a team, the account sets the name
if (nameField) form.addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    await call("/api/session", { annotator: form.annotator.value, blind: form.blind.checked });
    location.reload();
  } catch (error) {
    notify(error.message, { problem: true });
  }
});
menu.addEventListener("toggle", () => menu.open && nameField?.focus());
document.addEventListener("click", (event) => { if (menu.open && !menu.contains(event.target)) menu.open = false; });
menu.addEventListener("keydown", (event) => { if (event.key === "Escape") { menu.open = false; menu.querySelector("summary").focus(); } });

// --- keyboard help ---

const keyHelp = document.getElementById("keys");
document.getElementById("show-keys").addEventListener("click", () => keyHelp.showModal());
export const isTyping = (event) => event.ctrlKey || event.metaKey || event.altKey || keyHelp.open
  || Boolean(event.target.closest("input:not([type=checkbox], [type=radio]), textarea, select, #reviewer"));
document.addEventListener("keydown", (event) => {
  if (event.key === "?" && !isTyping(event)) { event.preventDefault(); keyHelp.showModal(); }
});

export const reviewer = form.dataset.name;
export function askName() {
  menu.open = true;
  nameField?.focus();
  notify("Enter your name first: it is saved with your decisions.", { problem: true });
}
