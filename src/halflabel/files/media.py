"""Pictures as numbers without a trained model: colour, gradient and texture."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halflabel._arrays import Floats
from halflabel._wording import count
from halflabel.files.parquet import explain_damage
from halflabel.files.raw_table import ReadError

#: Suffixes of pictures, and of media that have no features.
PICTURES = (".jpg", ".jpeg", ".png", ".gif", ".webp", ".bmp", ".tif", ".tiff")
OTHERS = (".wav", ".mp3", ".flac", ".ogg", ".m4a", ".mp4", ".avi", ".mov", ".mkv", ".heic", ".raw")

#: The formats that are decoded, whatever the suffix: Pillow decides by content, and for EPS it starts Ghostscript.
FORMATS = ("JPEG", "PNG", "GIF", "WEBP", "BMP", "TIFF")

#: Maximum number of pixels of a picture.
MAX_PIXELS = 100_000_000

#: Side of the picture that gradients are taken from, of its cells, and of the small grey picture.
SIDE, CELL, SMALL = 32, 8, 8


def describe_media(paths: Sequence[Path]) -> tuple[Floats, tuple[str, ...]]:
    """Return one row of features per picture, and the names of the features.

    Raises
    ------
    ReadError
        If a file is damaged, too large, or no picture of a known format.
    """
    if unknown := [path for path in paths if path.suffix.lower() not in PICTURES]:
        raise ReadError.at(unknown[0], describe_way("its features are not known"))
    rows = [_describe_picture(path) for path in paths]
    names = [f"{name} {number}" for name, values in rows[0].items() for number in range(len(values))]
    return np.stack([np.concatenate(list(row.values())) for row in rows]), tuple(names)


def describe_way(reason: str) -> str:
    """Return the error about media without features, with five lines that make vectors by any model."""
    lines = (
        "import glob, numpy as np, pandas as pd",
        "files = sorted(glob.glob('FOLDER/*'))",
        "vectors = np.stack([encode(file) for file in files])",
        "np.save('vectors.npy', vectors)",
        "pd.DataFrame({'file': files}).to_csv('items.csv', index=False)",
    )
    shown = ", ".join(f"`{line}`" for line in lines)
    return f"{reason}: make vectors by a model of your own in five lines, {shown}; then complete items.csv with them."


def _skimage(name: str) -> Any:
    try:
        return importlib.import_module(f"skimage.{name}")
    except ImportError:
        raise ImportError(describe_way("features of pictures need pip install 'halflabel[images]'")) from None


def _describe_picture(path: Path) -> dict[str, Floats]:
    """Return colour (histograms of hue, saturation and value), gradients, texture and a small grey picture."""
    feature, color = _skimage("feature"), _skimage("color")
    pixels = _read_picture(path)
    hsv, grey = color.rgb2hsv(pixels), color.rgb2gray(pixels)
    histograms = [np.histogram(hsv[..., j], bins=8, range=(0, 1))[0] / hsv[..., j].size for j in range(3)]
    texture = feature.local_binary_pattern((255 * grey).astype(np.uint8), P=8, R=1, method="uniform")
    small = grey.reshape(SMALL, SIDE // SMALL, SMALL, SIDE // SMALL).mean(axis=(1, 3))
    return {
        "colour": np.concatenate(histograms),
        "gradient": feature.hog(grey, orientations=8, pixels_per_cell=(CELL, CELL), cells_per_block=(1, 1)),
        "texture": np.histogram(texture, bins=10, range=(0, 10))[0] / texture.size,
        "grey": small.ravel(),
    }


def _read_picture(path: Path) -> NDArray[np.uint8]:
    """Return a picture as SIDE x SIDE pixels of three colours."""
    image = importlib.import_module("PIL.Image")
    with explain_damage(path, "a picture"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Pillow, about size and damaged EXIF
        with image.open(path, formats=FORMATS) as opened:
            if opened.width * opened.height > MAX_PIXELS:
                raise ReadError.at(path, f"the picture has more than {count(MAX_PIXELS)} pixels, the limit: reduce it.")
            opened.draft("RGB", (4 * SIDE, 4 * SIDE))
            turned = importlib.import_module("PIL.ImageOps").exif_transpose(opened)
            return np.asarray(turned.convert("RGB").resize((SIDE, SIDE), image.Resampling.BOX), dtype=np.uint8)
