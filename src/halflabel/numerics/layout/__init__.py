"""Maps of items in two dimensions, from arrays: layout, places for further items, quality and dense regions."""
