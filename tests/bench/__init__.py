"""How fast reading, writing and drawing are on this machine; printed by `make bench`, no part of `make test`."""
