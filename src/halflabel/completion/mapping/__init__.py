"""The map of a completion: its space, its layout, places for new items, and regions with names."""
