"""LowRankVVMR with the settings of Zhao & Guo (2015), whose trace norm decides the other weight."""

from __future__ import annotations

from typing import ClassVar, Self

import halflabel
from halflabel.labels.rules import Rule
from halflabel.methods.validation import require_positive
from halflabel.methods.vvmr.kernel_setting import KernelSetting

#: The candidates of three weights.
WEIGHTS = (1e-5, 1e-7, 1e-6, 1e-4, 1e-3)


class LowRankVVMR(halflabel.LowRankVVMR):
    r""":class:`halflabel.LowRankVVMR` with :math:`\theta = \mu\lambda`, as in the paper, in place of a knee.

    :math:`\lambda` is :math:`1/\sqrt{\max(l, n)}`, as in the text, for l annotated items and n labels. All parameters
    are the same, but ``alpha_trace`` has to be positive, and ``knee`` has no effect.
    """

    _weight_of_entries: ClassVar[str] = "alpha_trace"

    @classmethod
    def as_published(cls) -> Self:
        r"""Return an instance with the settings of the paper's experiments, solved to the optimum.

        Its grids, :math:`\gamma_O = 0.5` on the plain label graph, the plain Laplacian of 5 neighbours, raw features
        and the sign. The paper gives no kernel width. It is chosen among 0.5, 1 and 2 here.
        """
        return cls(
            WEIGHTS,
            knee=1.0,
            alpha_trace=(1e-3, 1e-5, 1e-4, 1e-2, 1e-1),
            alpha_manifold=WEIGHTS,
            label_graph_weight=0.5,
            label_graph="raw",
            manifold="laplacian",
            scale=None,
            rule=Rule("fixed", threshold=0.0),
        )

    def _validate_parameters(self) -> None:
        super()._validate_parameters()
        require_positive(self, "alpha_trace", several=True, reason="without it every label would be relevant")

    def _slope(self, setting: KernelSetting, n_rows: int, n_labels: int) -> float:
        return float(setting.alpha_trace * max(n_rows, n_labels) ** -0.5)
