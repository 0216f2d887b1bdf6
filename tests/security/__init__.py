"""Attacks that succeeded against products like this one, tried on this one: rows.py has their list."""
