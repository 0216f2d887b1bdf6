"""What many ranks cost: the map of a thousand and of ten thousand, and the following of a thousand."""
