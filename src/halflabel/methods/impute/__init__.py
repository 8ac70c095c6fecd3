"""Gaps in features: scikit-learn transformers that also fill in the gaps of new rows."""

from halflabel.methods.impute.soft import SoftImputer, complete_rows

__all__ = ["SoftImputer", "complete_rows"]
