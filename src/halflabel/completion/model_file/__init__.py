"""A saved model: its file, the classes that it may hold, and the predictor of new items."""
