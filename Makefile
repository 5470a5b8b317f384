# Everything there is to do in this repository. CI runs the same: `make system test check`.
PYTHON ?= python3
BIN := .venv/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
PACKAGES := ca-certificates chromium bubblewrap iproute2 util-linux python3

TORCH := torch==2.13.0

.PHONY: serve test quick newer system check prove long truth gains fuzz bench lock openapi screenshots

serve: .venv/serve  ## The service with the bundled records, on http://127.0.0.1:8000
	$(BIN)/whyraise serve

test: .venv/dev .venv/prove  ## All tests; what is skipped for want of a system package is listed at the end
	$(BIN)/python -m pytest $(PARALLEL) --cov --cov-report=term:skip-covered --cov-fail-under=96
PARALLEL := -n 3 --dist loadfile  # three, since tests wait for processes; the tests of one file share what they start
# Pastes of public reports, labelled in tests/data/reported.json, are not part of this repository: PASTES names their file.
export PASTES ?=

quick: .venv/dev  ## The tests without a browser, a sandbox, torch, the fuzzers and long runs, within 90 seconds
	$(BIN)/python -m pytest -q -n 2 -m "$(QUICK)"
QUICK := not (browser or sandbox or torch or fuzz or slow or long)

NEWER ?= 3.12 3.13 3.14
newer: .venv/dev  ## The tests of `make quick` with each newer Python that this machine has; NEWER_TESTS chooses among them
	export PYENV_VERSION="$$(pyenv versions --bare 2>/dev/null | paste --serial --delimiters=:)"; \
	for version in $(NEWER); do \
	  python$$version --version 2>/dev/null || { echo "Python $$version is not on this machine."; continue; }; \
	  $(BIN)/uv venv --quiet --clear --python "$$(python$$version -c 'import sys; print(sys.executable)')" .venv/$$version && \
	  $(BIN)/uv pip sync --quiet --python .venv/$$version/bin/python --require-hashes requirements-dev.lock && \
	  $(BIN)/uv pip install --quiet --python .venv/$$version/bin/python --no-build-isolation --no-deps -e . && \
	  .venv/$$version/bin/python -m pytest -q -n 2 -m "$(QUICK)" $(NEWER_TESTS) || exit 1; \
	done

system:  ## The system packages that some tests need (Debian, as root)
	apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(PACKAGES)

check: .venv/dev  ## Style, types, import borders, the HTTP contract, the Dockerfile
	$(BIN)/ruff check . && $(BIN)/ruff format --check .
	$(BIN)/mypy app tests bench examples/chatbot
	$(BIN)/lint-imports
	$(BIN)/python -m tests.support.contract --check
	$(BIN)/hadolint Dockerfile
	$(BIN)/whyraise check records

prove: .venv/prove  ## Run every record's snippets, and compare with what proof.json says
	$(BIN)/whyraise prove --all

long: .venv/dev  ## The tests that take minutes, of which `make test` runs short versions
	$(BIN)/python -m pytest -m long

TRUTH := .truth/bin/python
RAISED := torch lightning pytorch_lightning pandas numpy sklearn scipy transformers accelerate datasets sqlalchemy pydantic \
  httpx jinja2 networkx sympy matplotlib jsonschema requests urllib3 flask django celery werkzeug xarray dask bs4 nltk \
  polars click typer attr cattrs marshmallow pyparsing docutils babel PIL skimage botocore cryptography tornado redis \
  alembic statsmodels aiohttp rich textual trio

truth: .truth/mined.db  ## Raise errors in 48 packages and hold what is found against where they were raised; half an hour
	$(TRUTH) -m tests.truth.raised --errors .truth/errors.jsonl --records $< --cache .truth/cache $(RAISED)

gains: .truth/mined.jsonl  ## What each kind of knowledge adds, on the labelled pastes PASTES of the environments A and D
	$(TRUTH) -m tests.truth.gains $(PASTES) --records $< --environments A D

.truth/mined.db: .truth/mined.jsonl
	$(TRUTH) -m whyraise build records $< -o $@

.truth/mined.jsonl: tests/truth/raised.txt
	$(PYTHON) -m venv .truth
	$(TRUTH) -m pip install --quiet --disable-pip-version-check $(TORCH) -r tests/truth/raised.txt -e .
	$(TRUTH) -m whyraise mine --environment stdlib -o $@

fuzz: .venv/dev  ## The two fuzzers against Python's re, at full size
	$(BIN)/python -m tests.support.fuzz

bench: .venv/dev  ## What things cost, as ratios within one run
	for file in bench/*.py; do $(BIN)/python $$file || exit 1; done

screenshots: .venv/dev  ## Take the pictures that the documentation shows
	$(BIN)/python -m tests.doors.page.screenshots

openapi: .venv/dev  ## Write the HTTP contract anew
	$(BIN)/python -m tests.support.contract

lock: .venv/dev  ## Pin the newest versions that pyproject.toml allows
	$(BIN)/uv pip compile pyproject.toml --group build --extra mcp $(LOCK) -o requirements.lock
	$(BIN)/uv pip compile pyproject.toml --group dev $(LOCK) -o requirements-dev.lock
	echo 'torch; python_version < "0"' > .venv/without-torch
	$(BIN)/uv pip compile pyproject.toml --extra prove --override .venv/without-torch $(LOCK) -o requirements-prove.lock
LOCK := --upgrade --generate-hashes --no-header --no-annotate --universal --python-version 3.11 --quiet

.venv/bin/python:
	$(PYTHON) -m venv .venv

# The locks name all that is needed, so pip looks for nothing more: with its own look at dependencies it takes the newest
# release of a name with an extra (`coverage[toml]`), and refuses it since the lock pins another.
.venv/serve: .venv/bin/python requirements.lock pyproject.toml
	$(INSTALL) --require-hashes --no-deps -r requirements.lock
	$(INSTALL) --no-build-isolation --no-deps -e .
	touch $@

.venv/dev: .venv/bin/python requirements-dev.lock pyproject.toml
	$(INSTALL) --require-hashes --no-deps -r requirements-dev.lock
	$(INSTALL) --no-build-isolation --no-deps -e .
	touch $@ .venv/serve

# Torch comes first and by itself: what a platform takes for it differs (here without CUDA), and so do its dependencies.
.venv/prove: .venv/serve requirements-prove.lock
	$(INSTALL) $(TORCH)
	$(INSTALL) --require-hashes --no-deps -r requirements-prove.lock
	touch $@
