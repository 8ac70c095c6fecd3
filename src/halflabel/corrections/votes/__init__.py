"""Votes of several sources: error rates of the sources, and the posterior of each entry."""
