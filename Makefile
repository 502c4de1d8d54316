# SPDX-License-Identifier: GPL-3.0-or-later
# The developer's commands. `make help` lists them.

PYTHON := .venv/bin/python
READY := .venv/.ready
PLATFORMS ?= this
PYTEST_ARGS ?=
# Besides the one of .venv: the oldest that takes the extension, and the newest.
BLENDERS := 4.2.0 5.0.1

.PHONY: help setup demo test lint reference zip clean
.DEFAULT_GOAL := help

help: ## list the commands
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 8

setup: $(READY) ## create .venv and install everything, Blender as a Python module included

$(READY): pyproject.toml .ci/setup
	@bash .ci/setup .venv
	@touch $@

demo: $(READY) ## build a scene, bake it, and render build/demo.blend and build/demo.png (DEMO_ARGS=--motion: build/demo.webp too)
	@$(PYTHON) examples/demo.py $(DEMO_ARGS)

test: $(READY) $(if $(PYTEST_ARGS),,$(BLENDERS:%=.venv/blender/%)) ## run all tests (PYTEST_ARGS="-k cloth": some; "--contraction": rounded as elsewhere; "--checked": numbers of arrays are looked at; "--threads=2"; "--device=cuda")
	@bash .ci/test $(PYTEST_ARGS)

.venv/blender/%: | $(READY)
	@bash .ci/blender $* $@

lint: $(READY) ## check style and format
	@$(PYTHON) -m ruff check .
	@$(PYTHON) -m ruff format --check .

reference: $(READY) ## write the tables of docs/scripting.md, panels.md and troubleshooting.md
	@$(PYTHON) docs/reference.py

zip: $(READY) ## build the extension into build/ (make zip PLATFORMS=all for every system)
	@$(PYTHON) .ci/zip.py $(PLATFORMS)

clean: ## remove what the commands made
	rm -rf .venv build wheels *.egg-info .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
