"""What keeps a pod waiting, or a node's GPUs unseen: the checks that an engineer makes, in their order."""
