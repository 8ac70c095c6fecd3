"""Data to try the methods on: the digits of the demo, generators, and public benchmark sets."""

from halflabel._forwarding import forward
from halflabel.datasets.digits import load_digits_tags
from halflabel.datasets.openml import fetch
from halflabel.datasets.synthetic import make_low_rank
from halflabel.files.mulan import load_benchmark

_NAMES = ["Dataset", "RawTable", "ReadError", "read_mulan", "read_vectors", "stack", "to_dataset"]
__getattr__ = forward(
    __name__, {**{name: f"halflabel.files.{name}" for name in _NAMES}, "read": "halflabel.files.read_table"}
)

__all__ = ["fetch", "load_benchmark", "load_digits_tags", "make_low_rank"]
