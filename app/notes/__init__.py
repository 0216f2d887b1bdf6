"""What people write about steps of a run: values, limits, and where they are kept."""
