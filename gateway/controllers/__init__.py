"""What the gateway does by itself, in the background."""
