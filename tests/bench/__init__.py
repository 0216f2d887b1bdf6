"""How fast reading, writing and drawing are, side by side with what people use now; `make bench`, no part of the tests.

A comparison is a function that measures and yields lines (rows.Line); the list of them is in ``__main__``.
"""
