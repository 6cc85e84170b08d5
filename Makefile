# `make run` answers the embedded question; `make test` passes the tests. Both set up what they need.
PYTHON ?= $(firstword $(foreach p,python3.12 python3.11 python3,$(if $(shell $(p) -c 'import sys; print(int((3, 11) <= sys.version_info[:2] <= (3, 12)))' 2>/dev/null | grep 1),$(p))) python3)
VENV ?= .venv
BIN := $(VENV)/bin
QUESTION ?=

.PHONY: run test check format lint types imports contracts bench clean

run: $(VENV)/.run
	@$(BIN)/groundrules run $(if $(QUESTION),"$(QUESTION)")

test: $(VENV)/.dev
	$(BIN)/python -m pytest $(ARGS)

check: format lint types imports test

format: $(VENV)/.dev
	$(BIN)/ruff format --check engine tests benchmarks

lint: $(VENV)/.dev
	$(BIN)/ruff check engine tests benchmarks
	$(BIN)/groundrules rules test
	$(BIN)/groundrules doctor --offline

types: $(VENV)/.dev
	$(BIN)/mypy

imports: $(VENV)/.dev
	$(BIN)/lint-imports

bench: $(VENV)/.dev
	@for file in benchmarks/*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done

$(VENV)/.venv:
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.run: $(VENV)/.venv requirements/run.txt pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/run.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.run requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@touch $@

clean:
	rm -rf $(VENV) .groundrules .mypy_cache .ruff_cache .pytest_cache .hypothesis dist build

contracts: $(VENV)/.dev
	$(BIN)/python -c "import json, pathlib; from groundrules.wiring.schemas import generated_schemas; [pathlib.Path('contracts', kind + '.schema.json').write_text(json.dumps(schema, indent=2, ensure_ascii=False) + '\n', encoding='utf-8') for kind, schema in generated_schemas().items()]"
