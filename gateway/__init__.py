"""The gateway: a graph of a shared GPU fleet in which every number names its source."""
