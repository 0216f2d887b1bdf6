"""What is not told to everybody: secrets, and where a training machine keeps its files. Pure."""
