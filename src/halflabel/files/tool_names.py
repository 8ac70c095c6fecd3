"""The names of all formats: the help of a command shows them and imports no format."""

#: Formats of tables that no tool has.
TABLES = ("csv", "parquet", "arff", "svmlight", "npy", "spss", "stata", "sas", "sqlite", "duckdb", "gaf")

#: The tools that suggestions are written for.
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
