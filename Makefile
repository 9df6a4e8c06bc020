# Every target sets up what it needs: a .venv with evalib and the exact versions of constraints.txt.
# Needs a Python 3.11 to 3.13 and nothing else; another one than the first found: make demo PYTHON=/path/to/python

SHELL := /bin/sh
PYTHON ?=
WORKERS ?= 2
BIN := .venv/bin
STAMP := .venv/.installed

# Set, it makes every process compile every import anew (pandas: 2.7 s instead of 0.9 s).
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help demo test lint notebooks constraints clean
.DEFAULT_GOAL := help

help:
	@echo "make demo         simulate, score, aggregate and draw; then say where everything is"
	@echo "make test         lint, types, layering and all tests"
	@echo "make lint         the same without the tests"
	@echo "make notebooks    run every notebook into results/notebooks"
	@echo "make constraints  resolve the pinned versions anew"
	@echo "make clean        remove the environment, caches and builds"

demo: $(STAMP)
	$(BIN)/python -m evalib demo

test: lint
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

notebooks: $(STAMP)
	@mkdir -p results/notebooks
	@for nb in notebooks/*.py; do \
	  echo "$$nb"; \
	  $(BIN)/jupytext --to ipynb --execute "$$nb" \
	    --output "results/notebooks/$$(basename "$$nb" .py).ipynb" || exit 1; \
	done

constraints: $(STAMP)
	$(BIN)/uv pip compile --quiet --upgrade --universal --fork-strategy fewest --python-version 3.11 \
	  --no-annotate --no-header --no-emit-index-url --extra all --extra dev pyproject.toml -o .venv/pins.txt
	@{ echo '# Exact versions of everything in evalib[all,dev]; made by `make constraints`, not by hand.'; \
	   cat .venv/pins.txt; } > constraints.txt

clean:
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache *.egg-info
	find evalib tests -name __pycache__ -type d -prune -exec rm -rf {} +

# uv installs this in seconds where pip takes minutes. A Python that cannot make a virtual environment with
# pip in it (Debian without python3-venv) still gets uv as a plain folder, and uv makes the environment.
$(STAMP): pyproject.toml constraints.txt
	@set -e; \
	usable() { "$$1" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null; }; \
	if ! { [ -z "$(PYTHON)" ] && usable $(BIN)/python && $(BIN)/uv --version >/dev/null 2>&1; }; then \
	  py=; \
	  for candidate in $(or $(PYTHON),python3 python3.13 python3.12 python3.11 python); do \
	    if usable "$$candidate"; then py=$$candidate; break; fi; \
	  done; \
	  if [ -z "$$py" ]; then \
	    echo "evalib needs Python 3.11, 3.12 or 3.13, and found none on the PATH$(if $(PYTHON), as $(PYTHON));" \
	      "name one: make PYTHON=/path/to/python3.12" >&2; exit 2; \
	  fi; \
	  echo "Setting up .venv with $$("$$py" --version)"; \
	  rm -rf .venv; \
	  if "$$py" -m venv .venv >/dev/null 2>&1 && [ -x $(BIN)/pip ]; then \
	    $(BIN)/python -m pip install --quiet -c constraints.txt uv; \
	  else \
	    rm -rf .venv; trap 'rm -rf .venv-bootstrap' EXIT; \
	    "$$py" -m pip install --quiet -c constraints.txt --target .venv-bootstrap uv || { \
	      echo "$$py could neither make .venv nor fetch uv with pip: see above, or name another with PYTHON=" >&2; \
	      exit 2; }; \
	    .venv-bootstrap/bin/uv venv --quiet --python "$$(command -v $$py)" .venv; \
	    .venv-bootstrap/bin/uv pip install --quiet --python $(BIN)/python -c constraints.txt uv; \
	  fi; \
	fi; \
	echo "Installing the packages of constraints.txt (half a minute on a fast line)"; \
	$(BIN)/uv pip install --quiet --python $(BIN)/python -c constraints.txt -e '.[all,dev]'; \
	touch $@
