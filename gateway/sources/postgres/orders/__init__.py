"""Writes the changes that callers ask for into the platform's records: one transaction each."""
