"""What many ranks say, side by side. Pure."""
