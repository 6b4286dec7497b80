"""Stand-ins for what runs on a node beside the work: operands of the GPU operator, and the kubelet."""
