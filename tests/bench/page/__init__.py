"""The pages as people open them: real server, real browser. ``make bench ONLY=page`` measures all of this alone."""
