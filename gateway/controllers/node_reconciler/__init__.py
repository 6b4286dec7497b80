"""Carries out what is desired of a node, one claimed step at a time."""
