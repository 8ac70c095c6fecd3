"""The methods of the papers with every literal setting, for measurements that vary one of them at a time."""

from halflabel_papers.published.lowrank import LowRankVVMR
from halflabel_papers.published.ssdrmc import SSDRMC

__all__ = ["SSDRMC", "LowRankVVMR"]
