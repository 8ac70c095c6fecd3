"""Maps of items in two dimensions, from arrays: layout, places for further items, and dense regions."""
