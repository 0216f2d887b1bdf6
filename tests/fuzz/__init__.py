"""Inputs that nobody would write, for every parser, as long as one likes; run by `make fuzz MINUTES=n`."""
