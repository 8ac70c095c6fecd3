"""The functions that display a completion and an explanation: ``halflabel`` hands this file to them on request."""

from typing import TYPE_CHECKING

from halflabel._lazy import import_on_use

if TYPE_CHECKING:
    from halflabel.report.display import describe_explanation as describe_explanation
    from halflabel.report.display import render_explanation as render_explanation
    from halflabel.report.display import show_completion as show_completion
    from halflabel.report.pictures import draw_picture as draw_picture
    from halflabel.report.plotting import Plots as Plots
    from halflabel.report.render import render_html as render_html
    from halflabel.report.summary import summarize as summarize
else:
    __getattr__, _ = import_on_use(
        __name__,
        {
            "halflabel.report.display": ["describe_explanation", "render_explanation", "show_completion"],
            "halflabel.report.pictures": ["draw_picture"],
            "halflabel.report.plotting": ["Plots"],
            "halflabel.report.render": ["render_html"],
            "halflabel.report.summary": ["summarize"],
        },
    )
