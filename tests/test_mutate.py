"""What the mutation script changes, and what it leaves out because no result can depend on it."""

from __future__ import annotations

import ast

import pytest
from tests.mutate import mutated, replaced, sites


def list_changes(source):
    return [f"{ast.unparse(node)} -> {ast.unparse(mutated(node))}" for _, node in sites(ast.parse(source))]


@pytest.mark.parametrize(
    ("source", "changes"),
    [
        ("a < b", ["a < b -> a <= b"]),
        ("not a", ["not a -> a"]),
        ("a and b", ["a and b -> a or b"]),
        ("x[3]", ["3 -> 4"]),
        ("f(True, 0.0, 0.5)", ["True -> False", "0.0 -> 1.0", "0.5 -> 1.0"]),
        ("def f(x: A | B = 2) -> A | B: pass", ["2 -> 3"]),
        ("np.random.default_rng(seed + 1)", ["seed + 1 -> seed - 1", "1 -> 2"]),
        ("step", []),
    ],
)
def test_every_expression_that_can_change_a_result_is_changed(source, changes):
    assert list_changes(source) == changes


@pytest.mark.parametrize(
    "source",
    [
        "zip(a, b, strict=True)",
        "TSNE(n_jobs=1)",
        "step('fitting', done + 1, 2 * total)",
        "threadpool_limits(1)",
        "np.random.default_rng(0)",
        "rng.integers(2**31)",
    ],
)
def test_checks_threads_progress_and_fixed_seeds_are_left_out(source):
    assert list_changes(source) == []


def test_the_rest_of_a_call_with_an_excluded_keyword_is_changed():
    assert list_changes("zip(a[0], b, strict=True)") == ["0 -> 1"]
    assert list_changes("rng.step(1)") == ["1 -> 2"]


def test_one_expression_is_changed_at_a_time():
    source = "a < 1 < b"
    changed = [replaced(source, path) for path, _ in sites(ast.parse(source))]
    assert changed == ["a <= 1 < b", "a < 2 < b"]
