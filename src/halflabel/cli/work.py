"""The work of commands, imported when it is first used: the help of a command needs none of it."""

from typing import TYPE_CHECKING

from halflabel._lazy import import_on_use

if TYPE_CHECKING:
    from halflabel.completion import complete
    from halflabel.completion.finish import keep_answers
    from halflabel.completion.finish_journal import list_answers
    from halflabel.completion.marking import take_label_columns
    from halflabel.completion.model_file.archive import is_model, read_heading
    from halflabel.completion.model_file.saving import load
    from halflabel.completion.output import choose_tool, write_for_tool
    from halflabel.completion.preconditions import check_observed_rate
    from halflabel.completion.predictions import make_suggestions
    from halflabel.completion.prevalence_table import describe_left_out, name_group, tabulate_prevalence
    from halflabel.completion.stated_completion import take_completed
    from halflabel.completion.verdict import decide
    from halflabel.corrections.fit import leave_unlearned_targets
    from halflabel.evaluation import IN_WORDS, evaluate, run_demo
    from halflabel.evaluation.comparison import COMMON_RULE, DEFAULT
    from halflabel.files.conversion import check_format_path
    from halflabel.files.reading import check_values, write_frame
    from halflabel.files.registry import FORMATS, SUFFIXES, base_suffix, find_written, name_suffix, takes_pairs
    from halflabel.files.vectors import read_vectors
    from halflabel.labels.rules import read_rule
    from halflabel.report.audit_page import render_audit
    from halflabel.report.display import describe_review, describe_warnings
    from halflabel.report.pictures import PICTURES
    from halflabel.table import NoLabelsNamed
    from halflabel.table.described import find_description
    from halflabel.table.further import describe_images
    from halflabel.table.items import choose_shown
    from halflabel.table.opening import open_described
    from halflabel.table.question import Question
    from halflabel.table.source_files import read_file
    from halflabel.table.table_file import name_table_file, write_table_file
    from halflabel.table.unlearned import leave_unlearned
else:
    __getattr__, __dir__ = import_on_use(
        __name__,
        {
            "halflabel.completion": ["complete"],
            "halflabel.completion.model_file.archive": ["is_model", "read_heading"],
            "halflabel.completion.preconditions": ["check_observed_rate"],
            "halflabel.completion.finish": ["keep_answers"],
            "halflabel.completion.finish_journal": ["list_answers"],
            "halflabel.completion.marking": ["take_label_columns"],
            "halflabel.completion.model_file.saving": ["load"],
            "halflabel.completion.output": ["choose_tool", "write_for_tool"],
            "halflabel.completion.predictions": ["make_suggestions"],
            "halflabel.completion.prevalence_table": ["describe_left_out", "name_group", "tabulate_prevalence"],
            "halflabel.completion.stated_completion": ["take_completed"],
            "halflabel.completion.verdict": ["decide"],
            "halflabel.corrections.fit": ["leave_unlearned_targets"],
            "halflabel.evaluation": ["IN_WORDS", "evaluate", "run_demo"],
            "halflabel.evaluation.comparison": ["COMMON_RULE", "DEFAULT"],
            "halflabel.files.conversion": ["check_format_path"],
            "halflabel.files.reading": ["check_values", "write_frame"],
            "halflabel.files.registry": [
                "FORMATS",
                "SUFFIXES",
                "base_suffix",
                "find_written",
                "name_suffix",
                "takes_pairs",
            ],
            "halflabel.files.vectors": ["read_vectors"],
            "halflabel.labels.rules": ["read_rule"],
            "halflabel.report.audit_page": ["render_audit"],
            "halflabel.report.display": ["describe_review", "describe_warnings"],
            "halflabel.report.pictures": ["PICTURES"],
            "halflabel.table": ["NoLabelsNamed"],
            "halflabel.table.described": ["find_description"],
            "halflabel.table.further": ["describe_images"],
            "halflabel.table.items": ["choose_shown"],
            "halflabel.table.opening": ["open_described"],
            "halflabel.table.question": ["Question"],
            "halflabel.table.source_files": ["read_file"],
            "halflabel.table.table_file": ["name_table_file", "write_table_file"],
            "halflabel.table.unlearned": ["leave_unlearned"],
        },
    )

__all__ = [
    "COMMON_RULE",
    "DEFAULT",
    "FORMATS",
    "IN_WORDS",
    "PICTURES",
    "SUFFIXES",
    "NoLabelsNamed",
    "Question",
    "base_suffix",
    "check_format_path",
    "check_observed_rate",
    "check_values",
    "choose_shown",
    "choose_tool",
    "complete",
    "decide",
    "describe_images",
    "describe_left_out",
    "describe_review",
    "describe_warnings",
    "evaluate",
    "find_description",
    "find_written",
    "is_model",
    "keep_answers",
    "leave_unlearned",
    "leave_unlearned_targets",
    "list_answers",
    "load",
    "make_suggestions",
    "name_group",
    "name_suffix",
    "name_table_file",
    "open_described",
    "read_file",
    "read_heading",
    "read_rule",
    "read_vectors",
    "render_audit",
    "run_demo",
    "tabulate_prevalence",
    "take_completed",
    "take_label_columns",
    "takes_pairs",
    "write_for_tool",
    "write_frame",
    "write_table_file",
]
