"""Which nodes a pod fits, and why not: the filters of kube-scheduler in their order (1.36.3)."""
