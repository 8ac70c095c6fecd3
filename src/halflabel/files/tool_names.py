"""The names of the tools that suggestions are written for: the help of a command shows them and imports no format."""

TOOLS = (
    "label-studio",
    "prodigy",
    "argilla",
    "doccano",
    "huggingface",
    "coco",
    "json",
    "jsonl",
    "excel",
    "arrow",
)
