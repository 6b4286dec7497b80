# People and CI call the same names. `make` lists them.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
SHELL := /bin/bash
PYTHON ?= $(shell command -v python3.11 || command -v python3)
PORT ?= 8000
FROM ?=
VENV := .venv
BIN := $(VENV)/bin
# A site may have an authority of its own: trust what the machine trusts.
export UV_SYSTEM_CERTS := 1
export NODE_OPTIONS := --use-system-ca
INSTALL := $(BIN)/uv pip install --quiet --python $(BIN)/python
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header

.PHONY: help demo web test check fix schema lock clean

help: ## List these
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 12

demo: $(VENV)/demo web/node_modules/.stamp ## Serve the real gateway on an embedded PostgreSQL and a simulated fleet (PORT=, FROM=dir)
	@exec $(BIN)/gpu-gateway demo --port $(PORT) $(if $(FROM),--from "$(FROM)")

web: web/node_modules/.stamp ## Get GraphiQL's files

test: $(VENV)/dev web/node_modules/.stamp ## Run every test on the real servers that are here, and say which are not
	@$(BIN)/pytest --ignore=tests/live; others=$$?; $(BIN)/pytest tests/live && exit $$others

include servers.mk
include bench.mk

check: $(VENV)/dev ## What must hold before a change lands: format, lint, types, layers, printed files
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/hadolint Dockerfile
	@for page in $(PRINTED); do $(BIN)/python -m $${page%%:*} | diff - $${page#*:} || { echo "$${page#*:} is not fresh: run 'make schema'"; exit 1; }; done

fix: $(VENV)/dev ## Format, and repair what can be repaired
	@$(BIN)/ruff check --fix --quiet . ; $(BIN)/ruff format --quiet .

PRINTED := schema:schema.graphql schema.fields:docs/fields.md gateway.settings:docs/settings.md

schema: $(VENV)/dev ## Print schema.graphql and the generated pages of docs
	@for page in $(PRINTED); do $(BIN)/python -m $${page%%:*} > $${page#*:}; done

lock: $(VENV)/demo ## Lock the newest versions that requirements/*.in allow
	@for set in uv run demo dev; do $(LOCK) --upgrade requirements/$$set.in -o requirements/$$set.txt; done

clean: ## Remove what was installed here
	@rm -rf $(VENV) web/node_modules

# Installed once for each lock: versions and hashes, no addresses.
$(VENV)/uv: requirements/uv.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 is needed: make PYTHON=/path/to/python3.11")'
	@echo 'installing into $(VENV) ...'
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.txt
	@touch $@

$(VENV)/demo: $(VENV)/uv requirements/demo.txt pyproject.toml
	@$(INSTALL) --require-hashes -r requirements/demo.txt
	@$(INSTALL) --no-build-isolation --no-deps --editable .
	@touch $@

$(VENV)/dev: $(VENV)/demo requirements/dev.txt
	@$(INSTALL) --require-hashes -r requirements/dev.txt
	@touch $@

web/node_modules/.stamp: web/package-lock.json $(VENV)/demo
	@cd web && PATH="$(CURDIR)/$(BIN):$$PATH" npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@
