# A bare machine needs Python 3.11 or newer and make; the rest is set up in $(VENV) when first needed.
#   make train ARGS="--config configs/default.toml"      make test PYTHON=python3.12

PYTHON ?= python3
VENV ?= .venv
ARGS ?=

BIN := $(VENV)/bin
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --editable

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help train test test-all lint format bench clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-10s%s\n", $$1, $$2 }' Makefile

train: $(VENV)/.train  ## train by self-play (options in ARGS)
	$(BIN)/python train.py $(ARGS)

test: $(VENV)/.dev  ## run the tests but the slow ones
	$(BIN)/python -m pytest -n 2 -m "not slow" $(ARGS)

test-all: $(VENV)/.dev  ## run all tests
	$(BIN)/python -m pytest -n 2 $(ARGS)

lint: $(VENV)/.dev  ## run every static check
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/codespell

format: $(VENV)/.dev  ## mend what the linters can mend
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: $(VENV)/.dev  ## measure the speed
	$(BIN)/python -m benchmarks.speed $(ARGS)

clean:  ## remove the environment and the caches
	rm -rf $(VENV) .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache dist

$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python" >&2; exit 1; }
	@echo "Creating $(VENV)"
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.train: pyproject.toml | $(BIN)/pip
	@echo "Installing touti-env and PyTorch into $(VENV) (once, some minutes)"
	@$(INSTALL) '.[train,plot]'
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/pip
	@echo "Installing touti-env, PyTorch and the tools into $(VENV) (once, some minutes)"
	@$(INSTALL) '.[train,plot,rgb,dev]'
	@touch $(VENV)/.train $@
