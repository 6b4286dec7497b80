# The real servers of the tests that no Python package carries. All can run again: what is there stays.
.PHONY: servers

servers: $(VENV)/dev ## Build or install what `make test` runs for real: a cluster (minutes, once) and Slurm
	@tests/servers/install_slurm.sh
	@tests/cluster/build.sh $(BIN)/go
