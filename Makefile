# A bare machine needs Python 3.11 or newer and make; the rest is set up in $(VENV) when first needed.
#   make train ARGS="--config configs/default.toml"      make test PYTHON=python3.12

PYTHON ?= python3
VENV ?= .venv
ARGS ?=

BIN := $(VENV)/bin
PIP_INSTALL = -m pip install --quiet --disable-pip-version-check
INSTALL = $(BIN)/python $(PIP_INSTALL) --editable

# The libraries that touti-env plugs into; RLlib pins Gymnasium, so it has an environment of its own.
PLUGINS := $(VENV)-plugins
RLLIB := $(VENV)-rllib
PLUGIN_TESTS := $(addprefix tests/test_,plugs.py openspiel.py tianshou.py torchrl.py)
RLLIB_TESTS := $(addprefix tests/test_,rllib.py single.py aec.py aec_play.py aec_sight.py)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help train test test-all test-plugins lint format bench clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-14s%s\n", $$1, $$2 }' Makefile

train: $(VENV)/.train  ## train by self-play (options in ARGS)
	$(BIN)/python train.py $(ARGS)

test: $(VENV)/.dev  ## run the tests but the slow ones
	$(BIN)/python -m pytest -n 2 -m "not slow" $(ARGS)

test-all: $(VENV)/.dev  ## run all tests
	$(BIN)/python -m pytest -n 2 $(ARGS)

test-plugins: $(PLUGINS)/.done $(RLLIB)/.done  ## run the tests that need other libraries
	OMP_NUM_THREADS=1 $(PLUGINS)/bin/python -m pytest -n 2 $(PLUGIN_TESTS) $(ARGS)
	OMP_NUM_THREADS=1 $(RLLIB)/bin/python -m pytest -n 2 $(RLLIB_TESTS) $(ARGS)

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
	rm -rf $(VENV) $(PLUGINS) $(RLLIB) .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache dist

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

$(PLUGINS)/.done: EXTRAS := sb3,torchrl,tianshou,openspiel
$(RLLIB)/.done: EXTRAS := rllib,rgb
$(PLUGINS)/.done $(RLLIB)/.done: pyproject.toml | $(BIN)/pip
	@echo "Installing $(EXTRAS) into $(@D) (once, some minutes)"
	@$(BIN)/python -m venv $(@D)
	@$(@D)/bin/python $(PIP_INSTALL) --editable '.[$(EXTRAS)]' hypothesis pytest pytest-xdist
	@touch $@
