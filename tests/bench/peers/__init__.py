"""Programs that read with somebody else's library; each runs in a virtual environment of its own, on that library and
the standard library alone. Each prints its cost as its last line.
"""
