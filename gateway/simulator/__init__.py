"""A fleet to try the gateway on: servers on loopback that speak like the real ones."""
