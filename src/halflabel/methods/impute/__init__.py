"""Gaps in features: scikit-learn transformers that also fill in the gaps of new rows."""

from halflabel.methods.impute.partial_kernel import PartialKernel
from halflabel.methods.impute.soft import SoftImputer, complete_rows

__all__ = ["PartialKernel", "SoftImputer", "complete_rows"]
