"""Damaged and hostile files of sets: an error in words within bounds of memory, never another exception."""

import contextlib
import os
from pathlib import Path

import numpy as np
import pytest
from tests.fuzz.bombs import MAX_MEGABYTES, Bomb, set_off, text
from tests.fuzz.mutator import mutate

from halflabel.files import ReadError
from halflabel_papers.sets.mulan import read_label_names, read_mulan
from halflabel_papers.sets.svmlight import read_svmlight

DIGITS = "9" * 5000
LAUGHS = '<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><labels><label name="&b;"/></labels>'
OUTSIDE = '<!DOCTYPE l [<!ENTITY a SYSTEM "file:///etc/hostname">]><labels><label name="&a;"/></labels>'
NESTED = "@relation r\n@attribute '\\ud800' numeric\n@data\n1\n"

ARFF = "@relation r\n@attribute x numeric\n@attribute 'a b' {0,1}\n@attribute s string\n@data\n1.5,1,'it\\'s'\n?,0,?\n"
SPARSE_ARFF = "@relation r\n@attribute x numeric\n@attribute b {0,1}\n@data\n{0 1.5}\n{1 1}\n{}\n"
XML = '<?xml version="1.0"?>\n<labels><label name="a"><label name="b"/></label></labels>'
SVMLIGHT = "1,3 1:0.5 2:1 # remark\n3 2:-1e3\n\n 1:0.25\n"
REPOSITORY = "4 6 5\n0,3 0:1.5 5:2\n 2:1\n3 1:0.5\n3,4 \n"

#: A seed, the name of its file and its reader.
SEEDS = {
    "arff": (ARFF, "b.arff", read_mulan),
    "sparse arff": (SPARSE_ARFF, "b.arff", read_mulan),
    "xml": (XML, "b.xml", read_label_names),
    "svmlight": (SVMLIGHT, "b.svm", read_svmlight),
    "repository": (REPOSITORY, "b.svm", read_svmlight),
}


def attributes(path: Path) -> None:
    many = " ".join(f"a{i}='b'" for i in range(800_000))
    path.write_text(f"<labels><label name='a' {many}/></labels>")


BOMBS = [
    Bomb("svmlight, 2e7 labels announced", "b.svm", text("1 1 20000000\n0 0:1\n"), read_svmlight),
    Bomb("svmlight, 2e8 labels announced", "b.svm", text("1 1 200000000\n0 0:1\n"), read_svmlight),
    Bomb("svmlight, feature 9 999 999", "b.svm", text("0 9999999:1\n"), read_svmlight),
    Bomb("svmlight, 400 digits of labels", "b.svm", text(f"1 1 {DIGITS[:400]}\n0 0:1\n"), read_svmlight),
    Bomb("svmlight, 5000 digits in the header", "b.svm", text(f"{DIGITS} 5 3\n0 0:1\n"), read_svmlight),
    Bomb("svmlight, 5000 digits of an index", "b.svm", text(f"1 {DIGITS}:1\n"), read_svmlight),
    Bomb("svmlight, Qid", "b.svm", text("1 Qid:3 1:1\n"), read_svmlight),
    Bomb(
        "ARFF, 5000 digits of an index",
        "b.arff",
        text(f"@relation r\n@attribute a numeric\n@data\n{{{DIGITS} 1}}\n"),
        read_mulan,
    ),
    Bomb("ARFF, half a surrogate in a name", "b.arff", text(NESTED), read_mulan),
    Bomb(
        "ARFF, half a surrogate in a value",
        "b.arff",
        text("@relation r\n@attribute a string\n@data\n'\\ud800'\n"),
        read_mulan,
    ),
    Bomb("XML, a pipe", "b.xml", os.mkfifo, read_label_names),
    Bomb("XML, /dev/zero", "b.xml", lambda path: path.symlink_to("/dev/zero"), read_label_names),
    Bomb("XML, 8e5 attributes", "b.xml", attributes, read_label_names, is_slow=True, is_rejected=False),
    Bomb("XML, nested entities", "b.xml", text(LAUGHS), read_label_names),
    Bomb("XML, an entity from outside", "b.xml", text(OUTSIDE), read_label_names),
    Bomb("XML, depth 1e6", "b.xml", text("<labels>" * 1_000_000), read_label_names),
]


@pytest.mark.parametrize("name", SEEDS)
def test_a_changed_file_is_read_or_is_one_sentence(name, tmp_path):
    seed, file, reader = SEEDS[name]
    path, n_rejected = tmp_path / file, 0
    for number in range(100):
        path.write_bytes(mutate(seed.encode(), np.random.default_rng(number)))
        with contextlib.suppress(ReadError):
            reader(path)
            n_rejected -= 1
        n_rejected += 1
    assert n_rejected > 0


@pytest.mark.parametrize(
    "bomb", [pytest.param(each, id=each.name, marks=[pytest.mark.slow] * each.is_slow) for each in BOMBS]
)
def test_a_bomb_takes_little_memory(bomb, tmp_path):
    cost = set_off(bomb, tmp_path)
    assert cost.megabytes < MAX_MEGABYTES
    assert bool(cost.sentence) == bomb.is_rejected


@pytest.mark.parametrize("path", sorted((Path(__file__).parent / "crashes").iterdir()), ids=lambda path: path.name)
def test_a_file_that_showed_a_defect_is_one_sentence(path):
    with pytest.raises(ReadError, match=path.name):
        read_mulan(path)
