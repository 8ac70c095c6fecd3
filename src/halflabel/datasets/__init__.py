"""Readers for the file formats of multi-label data, the digits of the demo, and public benchmark sets.

Every reader has limits and unpickles nothing; an error is one sentence about the file.
"""

from halflabel.datasets.digits import load_digits_tags
from halflabel.datasets.mulan import load_benchmark, read_mulan
from halflabel.datasets.openml import fetch
from halflabel.datasets.reading import read
from halflabel.datasets.records import Dataset, RawTable, ReadError, stack, to_dataset
from halflabel.datasets.synthetic import make_low_rank
from halflabel.datasets.vectors import read_vectors

__all__ = [
    "Dataset",
    "RawTable",
    "ReadError",
    "fetch",
    "load_benchmark",
    "load_digits_tags",
    "make_low_rank",
    "read",
    "read_mulan",
    "read_vectors",
    "stack",
    "to_dataset",
]
