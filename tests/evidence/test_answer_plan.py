import math

import numpy as np
import pytest
from scipy.special import rel_entr

from halflabel.evidence.answer_plan import _count_random, plan_answers


@pytest.mark.parametrize("entries", [20, 300, 5000])
@pytest.mark.parametrize("allowed_share", [0.02, 0.1, 0.4])
@pytest.mark.parametrize("error_share", [0.0, 0.01, 0.05])
def test_random_answers_are_the_needed_evidence_over_the_divergence(entries, allowed_share, error_share):
    errors, allowed, needed = error_share * entries, int(allowed_share * entries), 4.0
    share, limit = max(errors, 0.5) / entries, (allowed + 1) / entries
    number = _count_random(errors, entries, allowed, needed)
    if share >= limit:
        assert number == entries
        return
    divergence = rel_entr(share, limit) + rel_entr(1 - share, 1 - limit)
    expected = (needed + 0.5 * math.log1p(needed / divergence * share)) / divergence
    assert number == pytest.approx(min(expected, entries))


def test_a_plan_needs_fewer_answers_where_more_errors_are_allowed():
    wrong = np.linspace(0.001, 0.3, 400)
    totals = [sum(plan_answers(wrong, allowed, 0.05)) for allowed in (4, 20, 60, 120)]
    assert totals == sorted(totals, reverse=True)
    assert totals[0] > totals[-1]
    assert plan_answers(wrong, -1, 0.05) == (400, 0)
