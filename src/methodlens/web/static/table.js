// The wide table. `wide_table.js` and what it needs are shared with the report and loaded before this script.

import { base, call, notify } from "./session.js";

const holder = document.getElementById("wide");

async function show() {
  try {
    const { questions, papers } = await call(`/api/table?page=${holder.dataset.page}`);
    globalThis.wideTable(holder, { questions, papers }, (paper, question) => `${base}/cells/${paper.sha256}/${encodeURIComponent((question ?? questions[0]).id)}`);
  } catch (error) {
    holder.textContent = "";
    notify(error.message, { problem: true });
  }
}

if (holder) show();
