# People and CI call the same names. `make` lists them.
.DEFAULT_GOAL := help
SHELL := /bin/bash
PYTHON ?= python3
PORT ?= 8000
FROM ?=
VENV := .venv
BIN := $(VENV)/bin
UV_VENV := .venv/uv

.PHONY: help demo test servers check fix schema lock

help: ## List the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 12
