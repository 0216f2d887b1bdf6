"""Our readers against the programs that wrote the formats: value by value, on every file that they can read."""
