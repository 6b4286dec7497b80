"""Volcano: queues and pod groups, by the same list and watch."""
