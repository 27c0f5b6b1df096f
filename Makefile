# Two commands: `make demo` does the main job, `make test` passes the tests. Both set up what they need.
PYTHON ?= python3
BIN := .venv/bin
# Constrains the build back end as well as what is installed.
PIP := PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: demo test setup lint types layers pytest bench papers papers-quick clean

demo: .venv/.demo
	$(BIN)/podium demo

test: lint types layers pytest

setup: .venv/.dev

lint: .venv/.dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: .venv/.dev
	$(BIN)/mypy

layers: .venv/.dev
	$(BIN)/lint-imports

pytest: .venv/.dev
	$(BIN)/pytest -n auto

bench: .venv/.bench
	$(BIN)/python benchmarks/reading.py
	$(BIN)/python benchmarks/bradley_terry.py

# The tables and figures of the papers, and docs/papers.md; most need the real data that PODIUM_DATA names.
papers: .venv/.dev
	$(BIN)/python -m experiments.run

papers-quick: .venv/.dev
	$(BIN)/python -m experiments.run --quick

clean:
	rm -rf .venv

.venv/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "podium needs Python 3.11 or newer; name one: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 2; }
	$(PYTHON) -m venv .venv
	touch $@

.venv/.demo: .venv/.python pyproject.toml constraints.txt
	$(PIP) --editable '.[plot]'
	touch $@

.venv/.dev: .venv/.python pyproject.toml constraints.txt
	$(PIP) --editable '.[dev,plot,save]'
	touch $@ .venv/.demo

.venv/.bench: .venv/.dev
	$(PIP) --editable '.[bench]'
	touch $@
