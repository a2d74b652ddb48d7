// The progress page: refitting a question to the decisions, after a confirmation.

import { call, notify } from "./session.js";

const dialog = document.getElementById("confirm-learning");
let question = "";

async function send(path) {
  try {
    await call(path, { question });
    location.reload();
  } catch (error) {
    notify(error.message, { problem: true });
  }
}

document.querySelector(".learning")?.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-question]");
  if (!button) return;
  question = button.dataset.question;
  if ("undo" in button.dataset) return send("/api/learning/undo");
  document.getElementById("learning-change").textContent = button.dataset.change;
  dialog.showModal();
});
dialog?.addEventListener("close", () => { if (dialog.returnValue === "apply") send("/api/learning"); });
