"""Diagnosis of files without Redis: the collector as a child that hands over what it would have stored, a store of that
in a temporary file, and the very code that the worker runs over it."""
