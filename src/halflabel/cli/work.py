"""The work of commands, imported when it is first used: the help of a command needs none of it."""

from typing import TYPE_CHECKING

from halflabel._lazy import import_on_use

if TYPE_CHECKING:
    from halflabel.completion import complete
    from halflabel.completion.explanation import find_label
    from halflabel.completion.marking import check_marks, take_label_columns
    from halflabel.completion.output import choose_tool
    from halflabel.completion.ranking import rank_opened
    from halflabel.files.bounded import base_suffix
    from halflabel.files.conversion import check_format_path, check_values, parse_question, write_frame
    from halflabel.files.detection import detect
    from halflabel.files.registry import (
        FORMATS,
        NAMES,
        SUFFIXES,
        check_name,
        find_written,
        name_suffix,
        takes_pairs,
    )
    from halflabel.report.display import describe_review
    from halflabel.report.errors import write_certificates
    from halflabel.report.pictures import PICTURES, draw_picture
    from halflabel.table.described import find_description
    from halflabel.table.items import choose_shown
    from halflabel.table.opening import open_described
    from halflabel.table.source_files import read_file
    from halflabel.table.sparse_opening import open_sparse
else:
    __getattr__, __dir__ = import_on_use(
        __name__,
        {
            "halflabel.completion": ["complete"],
            "halflabel.completion.explanation": ["find_label"],
            "halflabel.completion.marking": ["check_marks", "take_label_columns"],
            "halflabel.completion.output": ["choose_tool"],
            "halflabel.completion.ranking": ["rank_opened"],
            "halflabel.files.bounded": ["base_suffix"],
            "halflabel.files.conversion": ["check_format_path", "check_values", "parse_question", "write_frame"],
            "halflabel.files.detection": ["detect"],
            "halflabel.files.registry": [
                "FORMATS",
                "NAMES",
                "SUFFIXES",
                "check_name",
                "find_written",
                "name_suffix",
                "takes_pairs",
            ],
            "halflabel.report.display": ["describe_review"],
            "halflabel.report.errors": ["write_certificates"],
            "halflabel.report.pictures": ["PICTURES", "draw_picture"],
            "halflabel.table.described": ["find_description"],
            "halflabel.table.items": ["choose_shown"],
            "halflabel.table.opening": ["open_described"],
            "halflabel.table.source_files": ["read_file"],
            "halflabel.table.sparse_opening": ["open_sparse"],
        },
    )

__all__ = [
    "FORMATS",
    "NAMES",
    "PICTURES",
    "SUFFIXES",
    "base_suffix",
    "check_format_path",
    "check_marks",
    "check_name",
    "check_values",
    "choose_shown",
    "choose_tool",
    "complete",
    "describe_review",
    "detect",
    "draw_picture",
    "find_description",
    "find_label",
    "find_written",
    "name_suffix",
    "open_described",
    "open_sparse",
    "parse_question",
    "rank_opened",
    "read_file",
    "take_label_columns",
    "takes_pairs",
    "write_certificates",
    "write_frame",
]
