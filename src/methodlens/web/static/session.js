// What every page needs: talking to the API, saying what happened, and who is reviewing.

export async function call(address, body) {
  const options = body === undefined ? {} : body instanceof FormData ? { method: "POST", body }
    : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  let answer;
  try {
    answer = await fetch(address, options);
  } catch {
    throw new Error("The server does not answer. Is “methodlens serve” still running?");
  }
  const found = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(sentence(found.detail) || `The server says ${answer.status}`);
  return found;
}

function sentence(detail) {
  if (typeof detail === "string") return detail;
  return Array.isArray(detail) ? detail.map((one) => `${(one.loc || []).slice(-1)}: ${one.msg}`).join("; ") : "";
}

const toast = document.getElementById("told");
let fading;
export function tell(text, { problem = false } = {}) {
  toast.textContent = text;
  toast.className = `toast seen${problem ? " problem" : ""}`;
  clearTimeout(fading);
  fading = setTimeout(() => toast.classList.remove("seen"), problem ? 8000 : 3000);
}

// What is wrong with the ledger stays in sight until it is right again
const wrong = document.getElementById("trouble");
function trouble(message) {
  if (wrong.textContent !== message) wrong.textContent = message;
  wrong.hidden = !message;
}

// Without control characters and without what makes neighbours read backwards, as the server's pages are
export const plain = (content) => String(content).replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, " ");

export const text = (tag, content, className = "") => {
  const made = document.createElement(tag);
  made.textContent = plain(content);
  if (className) made.className = className;
  return made;
};

// The state of the run and of jobs, whenever it changes
export function follow(changed) {
  const stream = new EventSource("/api/events");
  stream.addEventListener("state", (event) => { trouble(""); changed(JSON.parse(event.data)); });
  stream.addEventListener("trouble", (event) => trouble(JSON.parse(event.data).detail));
  addEventListener("pagehide", () => stream.close());
}

const form = document.getElementById("session");
const who = document.getElementById("who");
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    await call("/api/session", { annotator: form.annotator.value, blind: form.blind.checked });
    location.reload();
  } catch (error) {
    tell(error.message, { problem: true });
  }
});
who.addEventListener("toggle", () => who.open && form.annotator.focus());
document.addEventListener("click", (event) => { if (who.open && !who.contains(event.target)) who.open = false; });
who.addEventListener("keydown", (event) => { if (event.key === "Escape") { who.open = false; who.querySelector("summary").focus(); } });

export const me = form.dataset.name;
export function askName() {
  who.open = true;
  form.annotator.focus();
  tell("Say who you are first: your name stands beside your decisions.", { problem: true });
}
