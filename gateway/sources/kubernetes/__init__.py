"""Kubernetes: nodes, pods and the version of a cluster, by list and watch."""
