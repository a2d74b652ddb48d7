# `make demo` and `make test` set up everything they need. They require Python 3.11+ with venv, make and access to PyPI.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# --no-compile: Python compiles what it imports; compiling every file of every package takes half a minute
INSTALL := $(BIN)/pip install --quiet --no-compile --disable-pip-version-check
OUT ?= demo-out

.DEFAULT_GOAL := help
.PHONY: help coverage demo serve fuzz lock sbom test test-all lint types layers tests format docs site examples bench bench-report bench-room bench-retrieval vectors ranking verdicts bench-reader general bench-questions open-papers clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 17

$(BIN)/python:
	@sh scripts/make-venv $(PYTHON) $(VENV)

$(VENV)/.core: pyproject.toml | $(BIN)/python
	@echo "Installing methodlens into $(VENV) ..."
	@$(INSTALL) --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	@echo "Installing methodlens and its development tools into $(VENV) ..."
	@$(INSTALL) --editable '.[dev]'
	@touch $@ $(VENV)/.core

BESIDE := --code examples/code --supplement silent-on-hardware.pdf=examples/supplements/silent-on-hardware-supplement.pdf

demo: $(VENV)/.web ## replay the example transcripts, answer 28 questions on the example papers with their code and supplement, and write a report
	@$(BIN)/methodlens replay examples/transcripts/*.txt
	@$(BIN)/methodlens run examples/papers $(BESIDE) --out $(OUT)

$(VENV)/.web: pyproject.toml | $(BIN)/python
	@echo "Installing methodlens and its review room into $(VENV) ..."
	@$(INSTALL) --editable '.[web]'
	@touch $@ $(VENV)/.core

serve: $(VENV)/.web ## start the review room on the example papers and print its address
	@test -e $(OUT)/ledger.sqlite || $(BIN)/methodlens run examples/papers $(BESIDE) --out $(OUT)
	@$(BIN)/methodlens serve --out $(OUT)

bench-room: $(VENV)/.web ## measure how long the review room takes to show a cell: make bench-room PAPERS=folder
	@$(BIN)/python -m benchmarks.room $(or $(PAPERS),examples/papers) --out $(or $(ROOM),room-bench)

test: lint types layers tests ## check style, types and imports, then run the tests (under five minutes)

$(VENV)/.all: $(VENV)/.dev
	@echo "Installing the extras that the long tests use ..."
	@$(INSTALL) --editable '.[dev,ocr,local,keyring,fuzz,ray,cloud,postgres]' || echo "Installation failed: the tests that need these extras are skipped"
	@touch $@

test-all: $(VENV)/.all ## run the long tests: 100 kills, the wheel in a fresh environment, browser, OCR, a small model, PostgreSQL, Ray
	@$(BIN)/pytest -n 2 -m long -rs

lint: $(VENV)/.dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(VENV)/.dev
	@$(BIN)/mypy

layers: $(VENV)/.dev
	@$(BIN)/lint-imports --no-cache

tests: $(VENV)/.dev
	@$(BIN)/pytest -n 2

coverage: $(VENV)/.dev ## run the same tests and print how much of the code they cover; takes half as long again
	@$(BIN)/pytest -n 2 --cov --cov-report=
	@echo "Coverage of src/methodlens: $$($(BIN)/coverage report --format=total)%"

format: $(VENV)/.dev ## format the code
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

docs: $(VENV)/.core ## write docs/reference/cli.md from --help, and docs/reference/checklists/ from the question sets
	@$(BIN)/python scripts/cli_docs.py
	@$(BIN)/python scripts/checklist_docs.py

site: $(VENV)/.dev ## build the documentation in site/; fails on dead links
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
	@echo "open site/index.html"

examples: $(VENV)/.dev ## rebuild the PDFs of the fictional example papers
	@$(BIN)/python examples/papers/build.py

bench: $(VENV)/.core ## compare the reading speed with pdfminer.six: make bench PAPERS=folder
	@$(INSTALL) --editable '.[bench]'
	@$(BIN)/python benchmarks/reading.py $(or $(PAPERS),examples/papers)

bench-structure: $(VENV)/.dev ## measure which authors and headings are found in fictional papers in the layouts of many journals
	@$(BIN)/python -m benchmarks.structure --show

bench-report: $(VENV)/.core ## measure the time and size of the report: make bench-report [PAPERS=folder]
	@$(BIN)/python benchmarks/report.py $(if $(PAPERS),--pages $(PAPERS))

bench-retrieval: $(VENV)/.core ## compare retrieval with the published pipeline, in quality and speed: make bench-retrieval GOLD=folder
	@$(BIN)/python -m benchmarks.retrieval $(GOLD)

$(VENV)-train/.ready: training/requirements.txt
	@sh scripts/make-venv $(PYTHON) $(VENV)-train
	@$(VENV)-train/bin/pip install --quiet --no-compile --disable-pip-version-check --requirement training/requirements.txt --editable .
	@touch $@

vectors: $(VENV)-train/.ready ## rebuild the static vectors
	@$(VENV)-train/bin/python -m training.vectors

ranking: $(VENV)-train/.ready ## retrain the ranking: make ranking GOLD=folder STUDY=records.jsonl.xz
	@$(VENV)-train/bin/python -m training.ranking $(GOLD) $(STUDY)

verdicts: $(VENV)-train/.ready ## retrain the verdicts of the embedded reader: make verdicts GOLD=folder STUDY=records.jsonl.xz
	@OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(VENV)-train/bin/python -m training.verdicts $(GOLD) $(STUDY)

general: $(VENV)-train/.ready ## retrain the model for any question: make general GOLD=folder GENERAL=folder
	@OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(VENV)-train/bin/python -m training.general $(GOLD) $(GENERAL)

open-papers: $(VENV)/.core ## fetch 70 labelled papers that other projects ship, as a folder like GOLD: make open-papers TO=folder [GOLD=folder]
	@$(BIN)/python -m benchmarks.open_papers $(TO) $(if $(GOLD),--add $(GOLD))

bench-questions: $(VENV)-train/.ready ## evaluate the embedded reader on unseen questions to unseen papers: make bench-questions GOLD=folder GENERAL=folder
	@OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(VENV)-train/bin/python -m benchmarks.questions $(GOLD) $(GENERAL)

bench-reader: $(VENV)-train/.ready ## evaluate the embedded reader on unseen papers, and measure its speed: make bench-reader GOLD=folder STUDY=records.jsonl.xz
	@OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(VENV)-train/bin/python -m benchmarks.reader $(GOLD) $(STUDY)

fuzz: $(VENV)/.dev ## 3,000 mutated PDFs, 2,000 folders of oddities, 1,000 hostile replies (about 20 minutes)
	@$(BIN)/python -m benchmarks.fuzz

lock: $(VENV)/.dev ## remake requirements-dev.lock: the exact versions of what development and CI install, with hashes
	@$(BIN)/python scripts/lock.py

sbom: $(VENV)/.dev ## write sbom.cdx.json, the bill of materials (CycloneDX) of methodlens with its review room
	@$(BIN)/python scripts/sbom.py --extra web --to sbom.cdx.json

clean: ## remove the virtual environment, the output of the demo and the built documentation
	@rm -rf $(VENV) $(OUT) site
