import math

import numpy as np
from sklearn.datasets import load_digits

from halflabel.datasets import load_digits_tags

#: Each definition once more, as a computation on the digit.
RULES = {
    "even": lambda d: d % 2 == 0,
    "prime": lambda d: d > 1 and all(d % k for k in range(2, d)),
    "square": lambda d: round(d**0.5) ** 2 == d,
    "multiple_of_three": lambda d: d % 3 == 0,
    "power_of_two": lambda d: d > 0 and d & (d - 1) == 0,
    "fibonacci": lambda d: any(math.isqrt(n) ** 2 == n for n in (5 * d * d + 4, abs(5 * d * d - 4))),
    "at_least_five": lambda d: d >= 5,
    "three_to_six": lambda d: 3 <= d <= 6,
    "closed_loop": lambda d: str(d) in "0689",
    "straight_strokes": lambda d: str(d) in "147",
}


def test_tags_are_functions_of_the_digit():
    data, digit = load_digits_tags(), load_digits().target
    assert data.label_names == tuple(RULES)
    for j, rule in enumerate(RULES.values()):
        np.testing.assert_array_equal(data.Y.relevant[:, j], [rule(int(d)) for d in digit])
    assert data.Y.observed.all()
    assert len({tuple(row) for row in data.Y.state.tolist()}) == 10  # the tags distinguish the digits


def test_pixels_are_named_by_place_and_nothing_is_random():
    data = load_digits_tags()
    np.testing.assert_array_equal(data.X[:, data.feature_names.index("pixel_2_5")], load_digits().images[:, 2, 5])
    assert data.sha256 == load_digits_tags().sha256
    assert len(data.sha256) == 64
