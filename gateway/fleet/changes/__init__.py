"""Judges what callers ask to be changed: the same judgement for a dialog, a dry run and the change itself."""
