"""Why work waits: what is seen of it now, and what is kept after the systems forget."""
