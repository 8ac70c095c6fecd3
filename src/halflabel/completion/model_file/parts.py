"""Whether the parts of a saved model fit together, before it is used."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from halflabel.completion.model_file.predictor import Predictor
from halflabel.table import FeatureEncoder


def check_parts(predictor: Predictor) -> None:
    """Raise unless names are distinct, lengths agree, and two made-up rows get probabilities and labels."""
    model, encoder, names = predictor.model, predictor.encoder, predictor.label_names
    if not names or len(set(names)) < len(names) or not all(map(str.isprintable, names)):
        raise ValueError("label names are missing, repeated or not printable")
    for thresholds in (model.thresholds_, predictor.corrected.thresholds):
        if np.shape(thresholds) != (len(names),) or not np.isfinite(thresholds).all():
            raise ValueError("there is not one finite threshold per label")
    if set(encoder.columns) != set(predictor.roles.features) or len(set(encoder.columns)) < len(encoder.columns):
        raise ValueError("the columns of the features differ from the columns of the roles")
    if _count_features(encoder) != model.n_features_in_:
        raise ValueError("the table gives another number of features than the method takes")
    frame, matrix = make_up_rows(encoder)
    for given in (False, True):
        p = predictor.complete_both(frame, matrix, given=given)[1].to_numpy()
        if p.shape != (2, len(names)) or not ((p >= 0) & (p <= 1)).all():
            raise ValueError("it does not predict one probability per label")


def _count_features(encoder: FeatureEncoder) -> int:
    """Return the number of features of a table. Raise before any is named if a size differs from its arrays."""
    filling, n_single = encoder.filling, len(encoder.numeric) + encoder.vector_width
    n_matrix, n_words, n_filled = len(encoder.matrix_names), len(encoder.vocabulary), len(filling.means)
    fits = (
        encoder.vector_width >= 0,
        encoder.vectors is not None or not encoder.vector_width,
        n_filled in (n_single, n_single + n_matrix),
        filling.means.shape == filling.spreads.shape == (n_filled,),
        filling.components.ndim == 2 and (not len(filling.components) or filling.components.shape[1] == n_filled),
        encoder.idf.shape == (n_words,),
        all(0 <= j < n_filled for j in filling.marked),
    )
    if not all(fits):
        raise ValueError("the arrays of the features have other sizes")
    return n_single + n_matrix + len(filling.marked) + n_words + sum(map(len, encoder.categories.values()))


def make_up_rows(encoder: FeatureEncoder) -> tuple[pd.DataFrame, Any]:
    """Return a table of two rows, and the matrix next to it, that an encoder reads: zeros, and ones."""
    frame = pd.DataFrame({column: [0.0, 1.0] for column in encoder.numeric}, index=range(2))
    for column, values in encoder.categories.items():
        frame[column] = pd.Series([None, *values[:1]], dtype=object)
    if encoder.vectors is not None:
        frame[encoder.vectors] = [[number] * encoder.vector_width for number in (0.0, 1.0)]
    if encoder.text is not None:
        frame[encoder.text] = ["", " ".join(encoder.vocabulary[:3])]
    matrix: Any = np.repeat([[0.0], [1.0]], len(encoder.matrix_names), axis=1)
    if not encoder.matrix_names:
        return frame, None
    is_dense = len(encoder.filling.means) == len(encoder.numeric) + encoder.vector_width + matrix.shape[1]
    return frame, matrix if is_dense else sparse.csr_array(matrix)
