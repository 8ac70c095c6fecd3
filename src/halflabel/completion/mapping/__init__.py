"""The map of a completion: its space, its layout, places for new items, regions with names, and its quality."""
