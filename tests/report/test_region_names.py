"""Names of regions on a map: each once, inside, apart, next to their cloud, and where they cover few items."""

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from halflabel.completion.mapping.regions import LENGTH, shorten_labels
from halflabel.report.region_names import DISTANCES, HEIGHT, LETTER, LINE, WIDTH, fit_texts
from halflabel.report.scatter import _draw_line

PLACES = st.lists(st.tuples(st.integers(10, WIDTH - 10), st.integers(10, HEIGHT - 10)), min_size=1, max_size=8)


@given(PLACES, st.data())
@settings(max_examples=40)
def test_each_name_is_there_once_inside_the_map_and_apart_from_the_others(places, data):
    words = st.lists(st.sampled_from(["loud", "calm and slow", "fast", "x" * 30]), min_size=1, max_size=2)
    texts = data.draw(st.lists(words, min_size=len(places), max_size=len(places)))
    points = np.random.default_rng(0).integers(0, 620, size=(200, 2))
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


def test_a_name_leaves_a_dense_cloud():
    rng = np.random.default_rng(1)
    cloud = np.rint(rng.normal([500, 300], 30, size=(400, 2))).astype(int)
    [(_, text, x, y)] = fit_texts(np.array([[500, 300]]), [["loud"]], cloud)
    covered = (np.abs(cloud - [x, y - 6]) < [len(text) * LETTER / 2, 0.6 * LINE]).all(axis=1).sum()
    assert covered <= 2
    assert np.hypot(x - 500, y - 300) < 150


@example([":", "::"])
@given(st.lists(st.text(alphabet="ab :", min_size=1, max_size=40), min_size=2, max_size=6, unique=True))
def test_short_names_are_never_empty_and_have_what_differs(names):
    begin = "Gene Ontology: "
    short = shorten_labels([begin + name for name in names])
    assert all(text.strip() or not name.strip() for text, name in zip(short, names, strict=True))
    assert all(len(text) <= LENGTH for text in short)
    assert not any("Ontology" in text for text in short) or any(not name.strip() for name in names)


WORDS = st.sampled_from(["a", "b", "c" * 23, "d" * 26])


@given(
    st.lists(
        st.tuples(st.sampled_from(["Family_", "Genus_", "topic: ", ""]), WORDS), min_size=1, max_size=8, unique=True
    )
)
def test_short_names_leave_out_first_words_that_others_share_and_stay_different(parts):
    names = list(dict.fromkeys(begin + word for begin, word in parts))
    short = shorten_labels(names)
    for name, text in zip(names, short, strict=True):
        whole = [own for own in text.strip("…").split("…") if own]
        assert all(part in name for part in whole)
        assert text == name or len(text) < len(name)
    if all(len(word) < LENGTH for _, word in parts):
        assert len(set(short)) == len(short)
    if max(map(len, names)) <= LENGTH and len({name.split("_")[0].split(" ")[0] for name in names}) == len(names):
        assert short == names


def test_a_line_leads_to_the_nearest_point_of_a_name():
    centre = np.array([100.0, 100.0])
    assert _draw_line(centre, 300, 104, 50, 20) == "M100 100L250 100"
    assert _draw_line(centre, 110, 160, 50, 20) == "M100 100L100 142"
    assert _draw_line(centre, 110, 60, 50, 20) == "M100 100L100 66"
    assert _draw_line(centre, 110, 104, 50, 20) == ""
