"""What decides on a pod before a node is sought: its namespace, its queue, its gang."""
