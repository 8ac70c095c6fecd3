"""A text in another encoding than UTF-8 and Windows-1252 is a question with the right encoding, or is read as it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halflabel.files import read_table
from halflabel.files.encodings import ask_for_encoding
from halflabel.files.raw_table import ReadError

WORDS = {
    "cp1251": ["рок", "грусть", "живой", "народная песня", "джаз"],
    "koi8_r": ["рок", "грусть", "живой", "народная песня", "джаз"],
    "cp1250": ["łódź", "żółty", "ćma", "święta", "rock"],
    "gb18030": ["摇滚", "悲伤", "现场", "民谣"],
    "shift_jis": ["ロック", "悲しい", "生演奏", "民謡"],
    "mac_roman": ["Café", "naïve", "Straße", "Ärger", "mañana"],
    "cp850": ["Café", "naïve", "Straße", "Ärger", "mañana"],
    "cp1253": ["ροκ", "λυπημένο", "ζωντανό"],
}
WESTERN = ["Café", "naïve", "Straße", "Ärger", "mañana", "Œuvre", "20 °C", "5 µm", "m²", "50 €", "“quoted”", "l’été",
           "créée", "¿Qué?", "10 ½", "3×4", "§ 5", "©2024", "Øl", "…", "– dash", "Þórr", "Ísland"]  # fmt: skip


def write(path, words, encoding, sep=";"):
    rows = [f"{i}{sep}{words[i % len(words)]}{sep}{i % 2}" for i in range(20)]
    path.write_bytes("\r\n".join([sep.join(["song", "style", "rock"]), *rows, ""]).encode(encoding))
    return path


@pytest.mark.parametrize("encoding", WORDS)
def test_an_error_offers_the_right_encoding_with_a_word(tmp_path, encoding):
    path = write(tmp_path / "a.csv", WORDS[encoding], encoding)
    with pytest.raises(ReadError, match=rf"is right, state encoding='{encoding}'") as error:
        read_table(path)
    assert any(f"{word.split()[0]}" in str(error.value) for word in WORDS[encoding])
    assert read_table(path, encoding=encoding).frame["style"].tolist()[:3] == WORDS[encoding][:3]


@given(
    st.lists(st.sampled_from(WESTERN), min_size=1, unique=True),
    st.text(st.characters(codec="cp1252", categories=["Ll"])),
)
def test_texts_of_western_europe_are_read_without_a_question(words, more):
    text = ";".join([*words * 5, more])
    assert ask_for_encoding(text.encode("cp1252")) is None


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-16", "utf-8", "utf-8-sig", "cp1252"])
def test_encodings_that_are_recognised(tmp_path, encoding):
    path = write(tmp_path / "a.csv", ["Café", "naïve", "Straße"], encoding)
    assert read_table(path).frame["style"].tolist()[:3] == ["Café", "naïve", "Straße"]


def test_strange_words_can_be_stated_as_windows_1252(tmp_path):
    path = write(tmp_path / "a.csv", ["na•ve", "Caf‚", "x"], "cp1252")
    with pytest.raises(ReadError, match=r"If '.*' is right, state encoding='cp1252'\."):
        read_table(path)
    assert read_table(path, encoding="cp1252").frame["style"].tolist()[0] == "na•ve"
