"""Data to try the methods on: the digits of the demo, generators, and public benchmark sets."""

from halflabel.datasets.benchmark import Dataset
from halflabel.datasets.digits import load_digits_tags
from halflabel.datasets.synthetic import make_low_rank

__all__ = ["Dataset", "load_digits_tags", "make_low_rank"]
