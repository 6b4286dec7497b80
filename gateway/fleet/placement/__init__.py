"""Where the slices of a card may lie, and so which MIG layouts there can be."""
