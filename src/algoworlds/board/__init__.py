"""A public board: submissions that are replayed before they are listed, a ranking with tie groups, a static site."""
