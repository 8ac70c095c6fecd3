"""Corrections of the probabilities of a fitted method, one file each, in a fixed order."""
