# What is claimed of speed and size, measured again.
.PHONY: bench
SIZE ?= full

bench: $(VENV)/dev ## Measure a large fleet and write bench/RESULTS.md; SIZE=small only shows (Linux, two cores)
	@$(BIN)/python -m bench.scale --size $(SIZE) $(if $(filter full,$(SIZE)),--write bench/RESULTS.md)
