"""Graphs of items: neighbours, weights, propagation and spectral embedding."""
