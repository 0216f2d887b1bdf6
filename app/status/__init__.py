"""``python -m app status``: what every run is doing, in a terminal."""
