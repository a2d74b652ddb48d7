# Two commands do all their own set-up: `make demo` and `make test`. Python 3.11+ with venv, make and PyPI are enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OUT ?= demo-out

.DEFAULT_GOAL := help
.PHONY: help demo serve test test-all lint types layers tests format docs site examples bench bench-report bench-room bench-retrieval vectors ranking verdicts bench-reader clean

help: ## show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(BIN)/python:
	@sh scripts/make-venv $(PYTHON) $(VENV)

$(VENV)/.core: pyproject.toml | $(BIN)/python
	@echo "Installing methodlens into $(VENV) ..."
	@$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	@echo "Installing methodlens and its development tools into $(VENV) ..."
	@$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/.core

demo: $(VENV)/.core ## replay the example transcripts, then answer 28 questions on the example papers: ends with the report to open
	@$(BIN)/methodlens replay examples/transcripts/*.txt
	@$(BIN)/methodlens run examples/papers --out $(OUT)

$(VENV)/.web: pyproject.toml | $(BIN)/python
	@echo "Installing methodlens and its review room into $(VENV) ..."
	@$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[web]'
	@touch $@ $(VENV)/.core

serve: $(VENV)/.web ## open the review room on the example papers; prints its address
	@test -e $(OUT)/ledger.sqlite || $(BIN)/methodlens run examples/papers --out $(OUT)
	@$(BIN)/methodlens serve --out $(OUT)

bench-room: $(VENV)/.web ## how long the review room takes to show a cell: make bench-room PAPERS=folder
	@$(BIN)/python -m benchmarks.room $(or $(PAPERS),examples/papers) --out $(or $(ROOM),room-bench)

test: lint types layers tests ## lint, types, layers, tests

$(VENV)/.all: $(VENV)/.dev
	@echo "Installing the extras that the long tests use ..."
	@$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev,ocr,local,keyring,fuzz,ray,cloud,postgres]' || echo "... which failed: their tests will skip"
	@touch $@

test-all: $(VENV)/.all ## the long tests: 100 kills, the wheel in an environment of its own, the browser, OCR, a real small model, PostgreSQL
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

format: $(VENV)/.dev ## put the code into shape
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

docs: $(VENV)/.core ## write docs/reference/cli.md from --help
	@$(BIN)/python scripts/cli_docs.py

site: $(VENV)/.dev ## build the documentation in site/; fails on dead links
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
	@echo "open site/index.html"

examples: $(VENV)/.dev ## set the fictional example papers as PDF again
	@$(BIN)/python examples/papers/build.py

bench: $(VENV)/.core ## reading speed against pdfminer.six: make bench PAPERS=folder
	@$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[bench]'
	@$(BIN)/python benchmarks/reading.py $(or $(PAPERS),examples/papers)

bench-report: $(VENV)/.core ## how long the report takes and how big it is: make bench-report [PAPERS=folder]
	@$(BIN)/python benchmarks/report.py $(if $(PAPERS),--pages $(PAPERS))

bench-retrieval: $(VENV)/.core ## is the evidence found, and how fast, against the published recipe: make bench-retrieval GOLD=folder
	@$(BIN)/python -m benchmarks.retrieval $(GOLD)

$(VENV)-train/.ready: training/requirements.txt
	@sh scripts/make-venv $(PYTHON) $(VENV)-train
	@$(VENV)-train/bin/pip install --quiet --disable-pip-version-check --requirement training/requirements.txt --editable .
	@touch $@

vectors: $(VENV)-train/.ready ## make the static vectors again
	@$(VENV)-train/bin/python -m training.vectors

ranking: $(VENV)-train/.ready ## learn the ranking again: make ranking GOLD=folder STUDY=records.jsonl.xz
	@$(VENV)-train/bin/python -m training.ranking $(GOLD) $(STUDY)

verdicts: $(VENV)-train/.ready ## learn the embedded reader's verdicts again: make verdicts GOLD=folder STUDY=records.jsonl.xz
	@$(VENV)-train/bin/python -m training.verdicts $(GOLD) $(STUDY)

bench-reader: $(VENV)-train/.ready ## the embedded reader on papers it never saw, and its speed: make bench-reader GOLD=folder STUDY=records.jsonl.xz
	@$(VENV)-train/bin/python -m benchmarks.reader $(GOLD) $(STUDY)

clean: ## remove the environment and what the demo wrote
	@rm -rf $(VENV) $(OUT)
