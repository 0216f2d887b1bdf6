"""Pictures of runs for whoever has no browser at hand: link previews, terminals, mails."""
