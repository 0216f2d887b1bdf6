"""The pages. ``source`` and ``shown``, which say what is true of a run, need no Dash; ``site`` puts it all together."""
