// Adds papers and questions, and shows the background jobs that process them.

import { base, call, follow, notify, text } from "./session.js";

const papers = document.getElementById("papers");
const files = document.getElementById("files");
const drop = document.querySelector(".drop");
const question = document.getElementById("question");
const list = document.getElementById("jobs");

const size = (bytes) => (bytes < 1 << 20 ? `${Math.ceil(bytes / 1024)} kB` : `${(bytes / (1 << 20)).toFixed(1)} MB`);
files.addEventListener("change", () => {
  document.getElementById("chosen").replaceChildren(...[...files.files].map((file) => text("li", `${file.name}, ${size(file.size)}`)));
});
for (const kind of ["dragover", "dragleave", "drop"]) {
  drop.addEventListener(kind, (event) => {
    event.preventDefault();
    drop.classList.toggle("over", kind === "dragover");
    if (kind === "drop") { files.files = event.dataTransfer.files; files.dispatchEvent(new Event("change")); }
  });
}

async function send(form, url, body, message) {
  const button = form.querySelector("button");
  button.disabled = true;
  try {
    const { refused = [] } = await call(url, body);
    form.reset();
    document.getElementById("chosen").replaceChildren();
    question.querySelectorAll("textarea, button").forEach((field) => { field.disabled = false; });
    document.getElementById("papers-first")?.remove();
    if (refused.length) notify(`${message} Not added: ${refused.map((file) => file.reason).join("; ")}`, { problem: true });
    else notify(message);
  } catch (error) {
    notify(error.message, { problem: true });
  }
  button.disabled = false;
}
papers.addEventListener("submit", (event) => { event.preventDefault(); send(papers, "/api/papers", new FormData(papers), "Saved. The papers are being read."); });
question.addEventListener("submit", (event) => { event.preventDefault(); send(question, "/api/questions", { text: question.text.value }, "Saved. Every paper is being asked."); });

follow((state) => {
  document.getElementById("no-jobs").hidden = state.jobs.length > 0;
  list.replaceChildren(...[...state.jobs].reverse().map((job) => {
    const item = document.createElement("li");
    item.className = `card job ${job.state}`;
    const details = job.state === "running" ? `${job.done} of ${job.total} cells` : job.message || job.state;
    item.append(text("strong", job.what), text("p", `${job.state}${details === job.state ? "" : `: ${details}`}`, "soft small"));
    if (job.state === "running" || job.state === "waiting") {
      const bar = document.createElement("progress");
      bar.setAttribute("aria-label", job.what);
      bar.max = job.total || 1;
      bar.value = job.done;
      item.append(bar);
    } else if (job.state !== "failed") {
      const link = text("a", "Open the matrix");
      link.href = `${base}/`;
      item.append(link);
    }
    return item;
  }));
});
