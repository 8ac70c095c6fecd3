"""Maps of items in two dimensions: the layout, places for further items, quality and dense regions; arrays only."""
