"""The work of commands, imported when it is first used: the help of a command needs none of it."""

from typing import TYPE_CHECKING

from halflabel._lazy import import_on_use

if TYPE_CHECKING:
    from halflabel.completion import complete as complete
    from halflabel.completion.finish import keep_answers as keep_answers
    from halflabel.completion.finish_journal import list_answers as list_answers
    from halflabel.completion.marking import take_label_columns as take_label_columns
    from halflabel.completion.model_file.archive import is_model as is_model
    from halflabel.completion.model_file.archive import read_heading as read_heading
    from halflabel.completion.model_file.saving import load as load
    from halflabel.completion.output import choose_tool as choose_tool
    from halflabel.completion.output import write_for_tool as write_for_tool
    from halflabel.completion.preconditions import check_observed_rate as check_observed_rate
    from halflabel.completion.predictions import make_suggestions as make_suggestions
    from halflabel.completion.prevalence_table import describe_left_out as describe_left_out
    from halflabel.completion.prevalence_table import name_group as name_group
    from halflabel.completion.prevalence_table import tabulate_prevalence as tabulate_prevalence
    from halflabel.completion.stated_completion import take_completed as take_completed
    from halflabel.completion.verdict import decide as decide
    from halflabel.corrections.fit import leave_unlearned_targets as leave_unlearned_targets
    from halflabel.evaluation import IN_WORDS as IN_WORDS
    from halflabel.evaluation import evaluate as evaluate
    from halflabel.evaluation import run_demo as run_demo
    from halflabel.evaluation.comparison import COMMON_RULE as COMMON_RULE
    from halflabel.evaluation.comparison import DEFAULT as DEFAULT
    from halflabel.files.conversion import check_format_path as check_format_path
    from halflabel.files.reading import check_values as check_values
    from halflabel.files.reading import write_frame as write_frame
    from halflabel.files.registry import FORMATS as FORMATS
    from halflabel.files.registry import SUFFIXES as SUFFIXES
    from halflabel.files.registry import base_suffix as base_suffix
    from halflabel.files.registry import find_written as find_written
    from halflabel.files.registry import name_suffix as name_suffix
    from halflabel.files.registry import takes_pairs as takes_pairs
    from halflabel.files.vectors import read_vectors as read_vectors
    from halflabel.labels.rules import read_rule as read_rule
    from halflabel.report.audit_page import render_audit as render_audit
    from halflabel.report.display import describe_review as describe_review
    from halflabel.report.display import describe_warnings as describe_warnings
    from halflabel.report.pictures import PICTURES as PICTURES
    from halflabel.table import NoLabelsNamed as NoLabelsNamed
    from halflabel.table.described import find_description as find_description
    from halflabel.table.further import describe_images as describe_images
    from halflabel.table.items import choose_shown as choose_shown
    from halflabel.table.opening import open_described as open_described
    from halflabel.table.question import Question as Question
    from halflabel.table.source_files import read_file as read_file
    from halflabel.table.table_file import name_table_file as name_table_file
    from halflabel.table.table_file import write_table_file as write_table_file
    from halflabel.table.unlearned import leave_unlearned as leave_unlearned
else:
    __getattr__, _ = import_on_use(
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
