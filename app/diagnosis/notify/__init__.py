"""Telling people: an alert's changes, by policy, over the channels that they read anyway."""
