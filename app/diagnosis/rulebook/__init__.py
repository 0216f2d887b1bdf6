"""Every part of every rule in words, with the numbers that the code has. README is tested against the table, which
``python -m app.diagnosis.rulebook`` prints."""
