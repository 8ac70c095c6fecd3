"""Names of regions on a map: each once, inside, apart, next to their cloud, and on no item."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from halflabel.completion.mapping.regions import LENGTH, shorten_labels
from halflabel.report.region_names import DISTANCES, HEIGHT, LETTER, LINE, MARGIN, WIDTH, fit_texts
from halflabel.report.scatter import _draw_line

PLACES = st.lists(st.tuples(st.integers(10, WIDTH - 10), st.integers(10, HEIGHT - 10)), min_size=1, max_size=8)


@given(PLACES, st.data())
@settings(max_examples=40)
def test_each_name_is_there_once_inside_the_map_and_apart_from_the_others(places, data):
    words = st.lists(st.sampled_from(["loud", "calm and slow", "fast", "x" * 30]), min_size=1, max_size=2)
    texts = data.draw(st.lists(words, min_size=len(places), max_size=len(places)))
    points = np.random.default_rng(0).integers(0, 620, size=(40, 2))
    fitted = fit_texts(np.array(places), texts, points)
    assert len({text for _, text, _, _ in fitted}) == len(fitted)
    boxes = []
    for number, text, x, y in fitted:
        assert text in texts[number]
        half = len(text) * LETTER / 2
        assert half <= x <= WIDTH - half
        assert LINE <= y <= HEIGHT
        assert abs(y - places[number][1]) <= max(DISTANCES)
        assert all(abs(y - v) >= LINE or abs(x - u) >= half + w for u, v, w in boxes)
        boxes.append((x, y, half))
        apart = np.abs(points - [x, y - 0.3 * LINE])
        assert not ((apart[:, 0] < half + MARGIN) & (apart[:, 1] < 0.5 * LINE + MARGIN)).any()


def test_a_name_leaves_a_dense_cloud():
    rng = np.random.default_rng(1)
    cloud = np.rint(rng.normal([500, 300], 30, size=(400, 2))).astype(int)
    [(_, _, x, y)] = fit_texts(np.array([[500, 300]]), [["loud"]], cloud)
    assert np.hypot(x - 500, y - 300) < 150


@given(st.lists(st.text(alphabet="ab :", min_size=1, max_size=40), min_size=2, max_size=6, unique=True))
def test_short_names_are_never_empty_and_have_what_differs(names):
    short = shorten_labels([f"Gene Ontology: {name}" for name in names])
    assert all(text.strip() for text in short)
    assert all(len(text) <= LENGTH for text in short)
    assert any("Ontology" in text for text in short) is not all(any(map(str.isalnum, name)) for name in names)


def test_a_line_leads_to_the_nearest_point_of_a_name():
    centre = np.array([100.0, 100.0])
    assert _draw_line(centre, 300, 104, 50, 20) == "M100 100L250 100"
    assert _draw_line(centre, 110, 160, 50, 20) == "M100 100L100 142"
    assert _draw_line(centre, 110, 60, 50, 20) == "M100 100L100 66"
    assert _draw_line(centre, 110, 104, 50, 20) == ""
