"""Why work waits, as schedulers and admission tell it in their messages."""
