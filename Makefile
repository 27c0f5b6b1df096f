# `make demo` shows the main job; `make test` runs all checks. Both set up what they need.
PYTHON ?= python3
BIN := .venv/bin
# The constraints also apply to the build back end.
PIP := PIP_CONSTRAINT=constraints.txt $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: demo test setup lint types layers pytest test-foreign test-slow test-browser test-engines bench bench-full bench-docs docs house gallery tutorials vote-pictures report-picture papers papers-quick release clean

demo: .venv/.demo
	$(BIN)/podium demo

test: lint types layers pytest

setup: .venv/.dev

lint: .venv/.dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: .venv/.dev
	$(BIN)/mypy --num-workers auto

layers: .venv/.dev
	$(BIN)/lint-imports

# The workers already use all cores, so BLAS gets one thread. Some tests start Python, which is faster with bytecode.
FOR_WORKERS := OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=
PYTEST := $(BIN)/pytest -n auto --dist loadgroup --no-loadscope-reorder

# Models are compiled first: workers that need the same function at the same time would compile it twice.
pytest: .venv/.dev
	$(FOR_WORKERS) $(BIN)/python -m podium.compile
	$(FOR_WORKERS) $(PYTEST)

# The tests that compute, and those of the pages, as on a processor of another family, which rounds differently.
COMPUTING := bradley_terry classes comparers evaluation frozen game metrics numerics oracles ordered rankings ratings \
  skill test_docs.py test_examples.py test_readme.py test_tutorials.py

test-foreign: .venv/.dev
	$(FOR_WORKERS) $(BIN)/python tests/foreign_processor.py $(PYTEST) -q $(addprefix tests/,$(COMPUTING))

# Long tests, such as thousands of simulated boards: whether intervals, tests and ranks hold as often as they claim.
# And many examples of what must hold for all data.
test-slow: .venv/.dev
	$(FOR_WORKERS) $(PYTEST) --hypothesis-profile=night -m "slow or hypothesis" tests

# Tests of the web pages in a real browser.
CHROMIUM ?= chromium

test-browser: .venv/.browser
	@command -v $(CHROMIUM) >/dev/null || \
	  { echo "the browser tests need Chromium: apt-get install chromium, or make $@ CHROMIUM=its/path" >&2; exit 2; }
	CHROMIUM=$(CHROMIUM) $(BIN)/pytest -m browser tests/browser

# Tests with a throw-away PostgreSQL server, with Spark and worker processes of Dask on this machine, and with arrays of
# torch on PODIUM_DEVICE (cpu by default).
test-engines: .venv/.engines
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || \
	  { echo "the tests of engines need PostgreSQL's server: apt-get install postgresql" >&2; exit 2; }
	@command -v java >/dev/null || \
	  echo "there is no Java, so the tests of Spark are skipped: apt-get install default-jre-headless" >&2
	PODIUM_ENGINES=1 $(BIN)/pytest -m engines tests/devices tests/reading tests/vote
	PODIUM_ENGINES=1 $(BIN)/pytest tests/comparers/test_dask.py tests/test_joblib_backends.py

# Compare podium with other libraries: every script in benchmarks/, within 15 minutes, into one table, which then fills
# the pages. Some scripts need the data in PODIUM_DATA. COMPARE=--compare also names what became slower since the last
# commit. The full benchmarks take hours and fill no pages.
bench: .venv/.bench
	$(BIN)/python -u benchmarks/run.py $(COMPARE); status=$$?; $(BIN)/python docs/.site/benchmark_tables.py && exit $$status

bench-full: .venv/.bench
	$(BIN)/python -u benchmarks/run.py --full

bench-docs: .venv/.dev
	$(BIN)/python docs/.site/benchmark_tables.py

# Build the documentation into site/, without the network. Warnings are errors; the tests show that they are.
docs: .venv/.docs
	$(BIN)/pytest -q tests/test_site.py
	$(BIN)/sphinx-build -W --keep-going -n -E -q -j auto -c docs/.site -d build/doctrees docs site

# Draw the picture of docs/architecture.md from the imports.
house: .venv/.dev
	$(BIN)/python docs/.site/house.py

# Draw the pictures of docs/gallery in light and dark, and store what their scripts print. style_control.py and sushi.py
# need the data in PODIUM_DATA.
gallery: .venv/.dev
	$(BIN)/python docs/.site/gallery.py

# Run the tutorials, and draw their pictures. Some of them need the data in PODIUM_DATA.
tutorials: .venv/.dev
	$(BIN)/python docs/.site/tutorials.py

# Photograph the vote page for docs/tutorials/vote_with_friends.md.
vote-pictures: .venv/.browser
	CHROMIUM=$(CHROMIUM) $(BIN)/python docs/.site/vote_pictures.py

# Photograph a report for README, with Chromium.
report-picture: .venv/.browser
	CHROMIUM=$(CHROMIUM) $(BIN)/python docs/.site/report_picture.py

# Recompute the tables and figures of the papers and docs/papers.md. Most of them are skipped without PODIUM_DATA.
papers: .venv/.papers
	$(BIN)/python -m experiments.run

papers-quick: .venv/.papers
	$(BIN)/python -m experiments.run --quick

# Build the source archive and the wheel into dist/, and try the wheel in an empty environment.
release: .venv/.release
	@$(BIN)/python -m tools.release

clean:
	rm -rf .venv

.venv/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "podium needs Python 3.11 or newer; choose one with: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 2; }
	$(PYTHON) -m venv .venv
	touch $@

.venv/.demo: .venv/.python pyproject.toml constraints.txt
	$(PIP) --editable '.[plot,save]'
	touch $@

.venv/.dev: .venv/.python pyproject.toml constraints.txt
	$(PIP) --editable '.[dev,plot,save,vote]'
	touch $@ .venv/.demo

.venv/.browser: .venv/.dev
	$(PIP) --editable '.[browser]'
	touch $@

.venv/.engines: .venv/.dev
	$(PIP) --editable '.[engines]'
	touch $@

.venv/.bench: .venv/.dev
	$(PIP) --editable '.[bench]'
	touch $@

.venv/.release: .venv/.python pyproject.toml constraints.txt
	$(PIP) --editable '.[release]'
	touch $@

.venv/.papers: .venv/.dev
	$(PIP) --editable '.[papers]'
	touch $@

.venv/.docs: .venv/.dev
	$(PIP) --editable '.[docs]'
	touch $@
