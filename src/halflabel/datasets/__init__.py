"""Data to try the methods on: the digits of the demo, generators, and public benchmark sets."""

from halflabel._forwarding import forward
from halflabel.datasets.benchmark import Dataset, load_benchmark, stack, to_dataset
from halflabel.datasets.digits import load_digits_tags
from halflabel.datasets.openml import fetch
from halflabel.datasets.synthetic import make_low_rank

_NAMES = ["RawTable", "ReadError", "read_mulan", "read_vectors"]
__getattr__ = forward(
    __name__, {**{name: f"halflabel.files.{name}" for name in _NAMES}, "read": "halflabel.files.read_table"}
)

__all__ = ["Dataset", "fetch", "load_benchmark", "load_digits_tags", "make_low_rank", "stack", "to_dataset"]
