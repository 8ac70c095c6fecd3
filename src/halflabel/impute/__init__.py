"""Gaps in features: scikit-learn transformers that also fill the gaps of new rows."""

from halflabel.impute.mixture import GaussianMixtureImputer
from halflabel.impute.soft import SoftImputer, complete_rows

__all__ = ["GaussianMixtureImputer", "SoftImputer", "complete_rows"]
