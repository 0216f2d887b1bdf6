"""Pictures of the main states, made by one command: ``make screens``."""
