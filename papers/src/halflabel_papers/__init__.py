"""The tables and figures of a paper, measured again and compared with the printed values."""

__version__ = "0.1.0"
