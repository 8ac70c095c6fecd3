"""Which column plays which role, and why."""

from datetime import date
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halflabel.table import Description, choose_roles
from halflabel.table.question import Question


def arrow(values: list, kind: pa.DataType) -> pd.Series:
    return pd.Series(values, dtype=pd.ArrowDtype(kind))


@pytest.fixture
def songs() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "song": [f"s{i}" for i in range(40)],
            "tempo": np.linspace(60.5, 180.5, 40),
            "live": [True, False] * 20,
            "key": ["minor", "major"] * 20,
            "tag_rock": [1, 0, None, 1] * 10,
            "tag_sad": [0, None, None, 1] * 10,
            "released": pd.date_range("2020-01-01", periods=40).astype(str),
        }
    )


def reason(column: pd.Series, **options: int) -> str:
    """The reason why a single column is ignored, or the role it has."""
    (_, role, why) = choose_roles(pd.DataFrame({"c": column}), Description(labels=(), **options)).describe()[0]
    return why if role == "ignored" else role


def test_every_column_gets_a_role(songs):
    roles = choose_roles(songs, Description(labels=["tag_*"]))
    assert roles.labels == ("tag_rock", "tag_sad")
    assert roles.numeric == ("tempo", "live")
    assert roles.categorical == ("key",)
    assert [column for column, _ in roles.ignored] == ["song", "released"]
    assert {column for column, _, _ in roles.describe()} == set(songs.columns)


@pytest.mark.parametrize(
    ("column", "result"),
    [
        (pd.Series([1.5, 2.5, None]), "number"),
        (pd.Series([1, 2, 2]), "number"),
        (pd.Series([1, None, 2], dtype="Int64"), "number"),
        (pd.Series([True, None, False], dtype=object), "number"),
        (pd.Series([1, 2.5, None], dtype=object), "number"),
        (pd.Series([Decimal("1.5"), Decimal(2)]), "number"),
        (arrow([True, None, False], pa.bool_()), "number"),
        (arrow([1.5, None, 2.5], pa.float32()), "number"),
        (arrow([Decimal("1.50"), None, Decimal("2.00")], pa.decimal128(5, 2)), "number"),
        (pd.Series(["a", "b", "a", "b"]), "category"),
        (pd.Series(["a", "b", "a", "b", None], dtype=object), "category"),
        (pd.Series([1, 2, 1, 2]).astype("category"), "category"),
        (arrow(["a", "b", "a", "b"], pa.string()), "category"),
        (pd.Series([None, None]), "no value at all"),
        (pd.Series([np.nan, np.nan]), "no value at all"),
        (pd.Series([1.0, 2.0, 3.0]), "number"),  # measured, even if all values differ
        (pd.Series([3, 1, None], dtype="Int64"), "number"),
        (pd.Series([2.5, None]), "a single value (2.5)"),
        (pd.Series([7, 7, 7]), "a single value (7)"),
        (pd.Series(["a", None, "a"]), "a single value (a)"),
        (pd.Series([3, 1, 2]), "every value is different: an identifier; name it with id= if"),
        (pd.Series(["x", "y", "z"]), "every value is different: an identifier; name it with id= if"),
        (pd.Series(["x y", "y of z", "z"]), "every value is different: an identifier; name it with id= if"),
        (pd.Series(["an old song", "a sad song of old", "no song"]), "every value is different: an identifier"),
        (pd.Series(["a b c d", "b c d e f", "c"]), "a different text in every row; name it with text="),
        (pd.Series(["[1.0, 2.0, 3.0, 4.0]", " [2]"]), "lists written as text; give vectors as lists in a Parquet file"),
        (pd.Series(pd.date_range("2020", periods=3)), "dates or times"),
        (pd.Series(pd.date_range("2020", periods=3, tz="UTC")), "dates or times"),
        (pd.Series(pd.period_range("2020", periods=3, freq="M")), "dates or times"),
        (pd.Series(pd.to_timedelta([1, 2, 3], unit="s")), "dates or times"),
        (pd.Series([date(2020, 1, 1), None], dtype=object), "dates or times"),
        (arrow([date(2020, 1, 1), None], pa.date32()), "dates or times"),
        (pd.Series(["2020-01-01", None, "2020-01-01", "2021-05-03T10:00:00+02:00"]), "dates or times"),
        (pd.Series(["2020-01-01", "2020-01-02"] * 3).astype("category"), "dates or times"),
        (pd.Series([[1, 2], None, [3, 4]]), "lists; name it with vectors= or tags="),
        (arrow([[1.0], None], pa.list_(pa.float64())), "lists; name it with vectors= or tags="),
        (pd.Series([{"a": 1}, {"a": 2}]), "neither numbers nor text"),
        (pd.Series([b"a", b"b"]), "neither numbers nor text"),
        (pd.Series([1j, 2j]), "neither numbers nor text"),
        (pd.Series(["1.5", "n/a", "2.5", "3"]), "numbers with text among them, first 'n/a'"),
        (pd.Series([1, "n/a", 2, 3], dtype=object), "numbers with text among them, first 'n/a'"),
        (pd.Series([f"{i % 25}.5" for i in range(60)]), "numbers stored as text"),
        (pd.Series([f"word{i % 25}" for i in range(60)]), "25 distinct texts in 60 rows"),
        (pd.Series(["a", "b", "a", "c"]), "3 distinct texts in 4 rows"),
        (pd.Series(["a", "b", "a"]), "2 distinct texts in 3 rows"),  # less than twice on average
        (pd.Series(["a b c d", "e", "f g h i", "j k l m"]), "a different text in every row"),
        (pd.Series(["[1, 2]", "x", "[4]"]), "every value is different"),
        (pd.Series(["1", "y", "x", "3"]), "every value is different"),  # half of them: a column of text
    ],
)  # fmt: skip
def test_what_a_column_holds_decides(column, result):
    assert result in reason(column)


def test_a_text_in_each_row_is_a_category_if_it_is_asked_for_and_few_are_there(songs):
    columns = Description(labels=["tag_*"], features=["c"], max_categories=40)
    assert choose_roles(songs.assign(c=[f"t{i}" for i in range(40)]), columns).categorical == ("c",)


def test_the_limit_of_categories_is_settable():
    column = pd.Series(["a", "b", "c"] * 2)
    assert reason(column, max_categories=3) == "category"
    assert "3 distinct texts" in reason(column, max_categories=2)


def test_years_that_are_not_dates_stay_categories():
    assert reason(pd.Series(["2001", "2002", "2001", "2002"])) == "category"
    assert reason(pd.Series(["1999-99", "2002-01"] * 2)) == "category"


def test_a_column_called_id_is_no_feature():
    roles = choose_roles(pd.DataFrame({"ID": [1, 1, 2], "x": [1.0, 2.0, 3.0]}), Description(labels=()))
    assert roles.numeric == ("x",)
    assert roles.ignored[0][1].startswith("it is called id: an identifier; name it with id=")


# -- labels and tags -------------------------------------------------------------


def test_columns_of_yes_and_no_are_a_question_where_some_have_no_gap(songs):
    with pytest.raises(Question, match="'live' has yes and no, but no gap") as question:
        choose_roles(songs, Description())
    assert [way.keys["labels"] for way in question.value.ways] == [
        ["tag_rock", "tag_sad"], ["live", "tag_rock", "tag_sad"]]  # fmt: skip
    with pytest.raises(ValueError, match=r"\(tags=\)\.$"):
        choose_roles(songs[["tempo", "live"]], Description())


def test_names_and_patterns_keep_their_order(songs):
    assert choose_roles(songs, Description(labels=["tag_sad", "tag_*"])).labels == ("tag_sad", "tag_rock")
    assert choose_roles(songs, Description(labels="tag_sad")).labels == ("tag_sad",)


def test_a_name_with_pattern_signs_is_a_name_first():
    frame = pd.DataFrame({"a[1]": [1, 0], "a1": [1.5, 2.5]})
    assert choose_roles(frame, Description(labels=["a[1]"])).labels == ("a[1]",)


@pytest.mark.parametrize(
    ("asked", "near"),
    [
        ("tag_rok", "did you mean 'tag_rock'"),
        ("TAG_SAD", "did you mean 'tag_sad'"),
        ("tga_*", "did you mean 'tag_"),
        ("zzz", "there are 'song', "),
    ],
)
def test_a_name_that_matches_nothing_raises_with_near_misses(songs, asked, near):
    with pytest.raises(ValueError, match=f"no column is called or matches .*{near}"):
        choose_roles(songs, Description(labels=[asked]))


def test_labels_the_file_declares(songs):
    declared = ("tag_sad", "tag_rock")
    assert choose_roles(songs, Description(), declared_labels=declared).labels == declared
    chosen = choose_roles(songs, Description(labels=["tag_sad"]), declared_labels=declared)
    assert ("tag_rock", "the file declares it a label, but it was not chosen") in chosen.ignored
    elsewhere = choose_roles(songs, Description(labels=()), declared_labels=declared)
    assert elsewhere.labels == ()
    assert not set(declared) & set(elsewhere.features)


def test_an_unchosen_label_becomes_a_feature_only_by_its_name(songs):
    declared = ("tag_sad", "tag_rock")
    by_pattern = choose_roles(
        songs[["tempo", *declared]], Description(labels=["tag_sad"], features=["*"]), declared_labels=declared
    )
    assert by_pattern.numeric == ("tempo",)
    by_name = choose_roles(songs, Description(labels=["tag_sad"], features=["tag_rock"]), declared_labels=declared)
    assert by_name.numeric == ("tag_rock",)


def test_a_tags_column_takes_the_place_of_labels(songs):
    roles = choose_roles(songs, Description(tags="key"))
    assert (roles.tags, roles.labels) == ("key", ())
    with pytest.raises(ValueError, match="labels and tags were both given"):
        choose_roles(songs, Description(tags="key", labels=["tag_sad"]))


# -- features, ignore, vectors, text -----------------------------------------------


def test_features_asked_for_are_exactly_the_features(songs):
    roles = choose_roles(songs.assign(id=range(40), one=1), Description(labels=["tag_*"], features=["id", "one", "k*"]))
    assert (roles.numeric, roles.categorical) == (("id", "one"), ("key",))
    assert ("tempo", "not among the features asked for") in roles.ignored


@pytest.mark.parametrize(
    ("column", "why"),
    [
        (pd.date_range("2020", periods=40), "dates or times; turn them into numbers"),
        ([[1]] * 40, "lists; name it with vectors="),
        ([None] * 40, "no value at all"),
        ([{"a": 1}] * 40, "values that are neither numbers nor text"),
        ([f"t{i}" for i in range(40)], r"40 distinct texts in 40 rows, .*\(max_categories=\); name it with text="),
    ],
)
def test_a_column_that_cannot_be_a_feature_raises(songs, column, why):
    with pytest.raises(ValueError, match=f"column 'c' cannot be a feature: {why}"):
        choose_roles(songs.assign(c=column), Description(labels=["tag_*"], features=["c"]))


def test_patterns_for_features_pass_over_other_roles(songs):
    roles = choose_roles(
        songs[["song", "tempo", "tag_sad"]], Description(id="song", labels=["tag_sad"], features=["*"])
    )
    assert roles.numeric == ("tempo",)
    assert roles.categorical == ()
    with pytest.raises(ValueError, match="'tag_sad' was given as labels and as features: a column has one role"):
        choose_roles(songs, Description(labels=["tag_sad"], features=["tag_sad"]))


def test_ignored_on_request(songs):
    roles = choose_roles(songs, Description(labels=["tag_*"], ignore=["tag_sad", "t*o"]))
    assert roles.labels == ("tag_rock",)
    assert roles.ignored[:2] == (("tag_sad", "left out on request"), ("tempo", "left out on request"))


def test_vectors_and_text_are_named(songs):
    roles = choose_roles(songs, Description(labels=["tag_*"], text="song", vectors="released"))
    assert (roles.text, roles.vectors) == ("song", "released")
    assert set(roles.features) == {"tempo", "live", "key", "song", "released"}
    with pytest.raises(ValueError, match="no column is called or matches 'sng': did you mean 'song'"):
        choose_roles(songs, Description(labels=["tag_*"], text="sng"))
    with pytest.raises(ValueError, match="column 'song' was given as vectors and as text"):
        choose_roles(songs, Description(labels=["tag_*"], text="song", vectors="song"))


# -- groups ------------------------------------------------------------------------


def test_a_group_column_is_no_feature(songs):
    roles = choose_roles(songs, Description(labels=["tag_*"], group="key"))
    assert roles.group == "key"
    assert "key" not in roles.features
    assert ("key", "group", "rows of equal value are held out together") in roles.describe()
    assert choose_roles(
        songs, Description(labels=["tag_*"], features=["*"], ignore=["song", "released"], group="key")
    ).features == (
        "tempo",
        "live",
    )


def test_a_group_is_given_by_a_value(songs):
    with pytest.raises(ValueError, match="no column is called or matches 'kye': did you mean 'key'"):
        choose_roles(songs, Description(labels=["tag_*"], group="kye"))
    with pytest.raises(ValueError, match="column 'tag_sad' was given as labels and as group: a column has one role"):
        choose_roles(songs, Description(labels=["tag_*"], group="tag_sad"))
    with pytest.raises(ValueError, match=r"group column 'v' holds \[1\]: a group is a number,"):
        choose_roles(songs.assign(v=[None, *[[1]] * 39]), Description(labels=["tag_*"], group="v"))
    with pytest.raises(ValueError, match="group column 'v' has no value at all: it keeps no rows together"):
        choose_roles(songs.assign(v=None), Description(labels=["tag_*"], group="v"))


# -- id, names, size ---------------------------------------------------------------


def test_an_id_is_there_and_unique(songs):
    assert choose_roles(songs, Description(labels=["tag_*"], id="song")).id == "song"
    with pytest.raises(ValueError, match="id column 'key' is not unique: 'minor' is in row 0 and row 2"):
        choose_roles(songs, Description(labels=["tag_*"], id="key"))
    with pytest.raises(ValueError, match="id column 'n' is not unique: 7 is in row 1 and row 3"):
        choose_roles(songs.assign(n=[5, 7, 6, 7, *range(10, 46)]), Description(labels=["tag_*"], id="n"))
    with pytest.raises(ValueError, match="id column 'tag_sad' is empty in row 1: every row needs its own id"):
        choose_roles(songs, Description(labels=["tag_rock"], id="tag_sad"))
    with pytest.raises(ValueError, match=r"id column 'v' holds \[1\]: an id is a text or a whole number"):
        choose_roles(songs.assign(v=[[1]] * 40), Description(labels=["tag_*"], id="v"))


def test_column_names_are_text_and_distinct():
    assert choose_roles(pd.DataFrame(np.eye(3) * 0.5), Description(labels=["0"])).numeric == ("1", "2")
    with pytest.raises(ValueError, match="column names must be distinct, but '1' appears more than once"):
        choose_roles(pd.DataFrame([[1, 2]], columns=[1, "1"]), Description(labels=()))


def test_a_table_without_rows_raises():
    with pytest.raises(ValueError, match="the table has no rows"):
        choose_roles(pd.DataFrame({"a": []}), Description(labels=()))


# -- properties ----------------------------------------------------------------------

FEATURELESS = {
    "constant": lambda n: pd.Series([3.5] * n),
    "blank": lambda n: pd.Series([None] * n, dtype=object),
    "day": lambda n: pd.Series(pd.date_range("1999-12-30", periods=n)),
    "iso": lambda n: pd.Series(pd.date_range("1999-12-30", periods=n).strftime("%Y-%m-%d")),
    "unique": lambda n: pd.Series([f"text {i}" for i in range(n)]),
    "number": lambda n: pd.Series(np.arange(n)),
    "list": lambda n: pd.Series([[1.0, 2.0]] * n),
}


@given(st.integers(2, 30), st.permutations(sorted(FEATURELESS)), st.integers(0, 7))
def test_what_is_never_a_feature_by_itself(n, names, at):
    columns = {name: FEATURELESS[name](n) for name in names}
    columns = {**dict(list(columns.items())[:at]), "x": pd.Series(np.arange(n) / 4), **columns}
    roles = choose_roles(pd.DataFrame(columns), Description(labels=()))
    assert roles.features == ("x",)
    assert {column for column, _ in roles.ignored} == set(FEATURELESS)


@given(st.permutations(["song", "tempo", "live", "key", "tag_rock", "released"]))
def test_the_order_of_columns_does_not_matter(order):
    frame = pd.DataFrame(
        {
            "song": ["a", "b", "c", "d"],
            "tempo": [1.5, 2.5, 3.5, 4.5],
            "live": [True, False, True, False],
            "key": ["minor", "major"] * 2,
            "tag_rock": [1, 0, None, 1],
            "released": ["2020-01-01", "2020-01-02"] * 2,
        }
    )
    assert sorted(choose_roles(frame[order], Description(labels=["tag_*"])).describe()) == sorted(
        choose_roles(frame, Description(labels=["tag_*"])).describe()
    )
