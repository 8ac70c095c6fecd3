"""Raw pictures without a trained model: micro-F1 of the gaps with built-in features against the published ones.

Two sets whose tags are true by definition: the scanned digits of scikit-learn, and patches of its two photographs with
tags of their place. The published features are the pixels. A fifth of the pictures has tags. Run it with

    python benchmarks/raw_pictures.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from _common import make_parser
from PIL import Image
from sklearn.datasets import load_sample_image

import halflabel as hl
from halflabel.datasets.digits import load_digits_tags
from halflabel.labels import PartialLabels
from halflabel.labels.metrics import micro_f1

#: Number of digits, side of a patch, share of the pictures with tags, and seeds.
N_DIGITS, SIDE, SHARE, SEEDS = 600, 32, 0.2, (0, 1)


def take_digits() -> tuple[np.ndarray, pd.DataFrame]:
    """Return pictures of digits as bytes, and their tags."""
    data = load_digits_tags()
    pixels = np.asarray(data.X)[:N_DIGITS].reshape(-1, 8, 8)
    return (pixels * 15.9).astype(np.uint8), data.Y.to_frame()[:N_DIGITS].astype(float)


def take_patches() -> tuple[np.ndarray, pd.DataFrame]:
    """Return patches of two photographs, and tags: which photograph, and in which part of it."""
    patches, tags = [], []
    for name in ("china.jpg", "flower.jpg"):
        photo = load_sample_image(name)
        for top in range(0, photo.shape[0] - SIDE + 1, SIDE):
            for left in range(0, photo.shape[1] - SIDE + 1, SIDE):
                patches.append(photo[top : top + SIDE, left : left + SIDE])
                tags.append({"temple": name == "china.jpg", "upper": top < photo.shape[0] / 2,
                             "left": left < photo.shape[1] / 2})  # fmt: skip
    return np.stack(patches), pd.DataFrame(tags).astype(float)


def measure(pictures: np.ndarray, tags: pd.DataFrame) -> None:
    """Print micro-F1 of hidden tags with pixels and with built-in features."""
    with tempfile.TemporaryDirectory() as folder:
        for number, picture in enumerate(pictures):
            Image.fromarray(picture).save(Path(folder) / f"{number:05}.png")
        built_in = read(folder)
    pixels = pictures.reshape(len(pictures), -1).astype(float)
    for name, X in (("pixels", pixels), ("built-in", built_in)):
        scores = []
        for seed in SEEDS:
            hidden = np.random.default_rng(seed).random(len(X)) >= SHARE
            given = tags.mask(pd.Series(hidden, tags.index), axis=0)
            filled = hl.complete(X, given, effort="fast", random_state=seed)
            truth = PartialLabels.from_table(tags[hidden])
            scores.append(micro_f1(truth, filled.table[hidden].to_numpy()))
        print(f"{name:>9}: micro-F1 {np.mean(scores):.3f} (seeds {', '.join(f'{score:.3f}' for score in scores)})")


def read(folder: str) -> np.ndarray:
    """Return the built-in features of a folder of pictures."""
    from halflabel.table.source_files import read_file

    matrix = read_file(folder).raw.matrix
    return np.asarray(matrix)


def main():
    """Measure both sets."""
    make_parser(__doc__).parse_args()
    for title, load in (("digits", take_digits), ("patches of photographs", take_patches)):
        pictures, tags = load()
        print(f"{title}: {len(pictures)} pictures, {tags.shape[1]} tags")
        measure(pictures, tags)


if __name__ == "__main__":
    main()
