"""What a large fleet costs: the first sync, memory, one event, and how soon a change is seen."""
