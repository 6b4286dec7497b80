"""Taking back a share of the queues: what deserved means to the scheduler that runs (docs/reclaim.md)."""
