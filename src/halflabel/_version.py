"""The version, written once, and the versions of libraries."""

from importlib.metadata import version

__version__ = "0.2.0"


def list_versions(*libraries: str) -> dict[str, str]:
    """Return the version of halflabel, which need not be installed, and of libraries, by name."""
    return {"halflabel": __version__, **{name: version(name) for name in libraries}}
