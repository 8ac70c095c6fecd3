"""Formats of annotation tools for halflabel: Argilla, Prodigy and doccano."""

__version__ = "0.1.0"
