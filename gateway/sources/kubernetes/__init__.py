"""Kubernetes: what a cluster says, by list and watch, and the hands that change its nodes."""
