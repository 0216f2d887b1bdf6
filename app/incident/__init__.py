"""Incident bundles: all that is known about a stretch of a run, in one file that needs no network."""
