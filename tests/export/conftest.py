"""A run in a real store, and an application that serves it."""

from __future__ import annotations

from tests.app.conftest import client, seed, server, store

__all__ = ["client", "seed", "server", "store"]
