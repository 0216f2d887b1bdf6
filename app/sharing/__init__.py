"""Frozen snapshots: a run as it was, for whoever has the link."""
