// The shown part of the wide table as Markdown or LaTeX.

function asMarkdown(header, lines) {
  const row = (cells) => `| ${cells.map((cell) => cell.replaceAll("\\", "\\\\").replaceAll("|", "\\|")).join(" | ")} |`;
  return [row(header), `|${header.map(() => " --- |").join("")}`, ...lines.map(row)].join("\n");
}

const LATEX = { "\\": "\\textbackslash{}", "{": "\\{", "}": "\\}", "$": "\\$", "&": "\\&", "#": "\\#", "%": "\\%", _: "\\_", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}" };

function asLatex(header, lines) {
  const escaped = (text) => text.replace(/[\\{}$&#%_~^]/g, (sign) => LATEX[sign]);
  const row = (cells) => `  ${cells.map(escaped).join(" & ")} \\\\`;
  const width = (0.95 / header.length).toFixed(3);
  const columns = header.map(() => `p{${width}\\linewidth}`).join("");
  return [`\\begin{longtable}{${columns}}`, "  \\hline", row(header), "  \\hline", "  \\endhead", ...lines.map(row), "  \\hline", "\\end{longtable}"].join("\n");
}

// To the clipboard; without permission, the text is shown to be copied by hand.
async function copyText(text, output) {
  try {
    await navigator.clipboard.writeText(text);
    refill(output, "Copied.");
  } catch {
    const area = el("textarea", { readonly: true, rows: 8, class: "copied", "aria-label": "Text to copy" });
    area.value = text;
    refill(output, "Press Ctrl-C to copy:", area);
    area.select();
  }
}
