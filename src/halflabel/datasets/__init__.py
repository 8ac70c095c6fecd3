"""Data to try the methods on: the digits of the demo, generators, and public benchmark sets."""

from halflabel.datasets.benchmark import Dataset, load_benchmark, stack, to_dataset
from halflabel.datasets.digits import load_digits_tags
from halflabel.datasets.openml import fetch
from halflabel.datasets.synthetic import make_low_rank

__all__ = ["Dataset", "fetch", "load_benchmark", "load_digits_tags", "make_low_rank", "stack", "to_dataset"]
