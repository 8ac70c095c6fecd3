"""Public sets of benchmarks: ARFF with Mulan's label files, svmlight, folders of sets, and OpenML."""

from halflabel_papers.sets.folders import load_benchmark, stack, to_dataset
from halflabel_papers.sets.mulan import read_mulan
from halflabel_papers.sets.openml import fetch

__all__ = ["fetch", "load_benchmark", "read_mulan", "stack", "to_dataset"]
