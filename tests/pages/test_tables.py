"""A table hides no column, and programs that go wrong are run when somebody looks, side by side in a table."""

from __future__ import annotations

from typing import Any

from streamlit.testing.v1 import AppTest

from pages.ui import rows as tables


def _shown() -> None:
    import numpy as np
    import streamlit as st

    from pages.ui import rows

    long = "a sentence of some length that tells what was seen here, and nothing else"
    wide = {"what | was": [long, "*b*"], "told": [long, None], "share": np.array([0.123, 1.0])}
    rows.show_table({"a": [1, 2]}, "narrow")
    rows.show_table(
        wide | {"n": [1234, 5]}, "wide", {"share": rows.SHARE, "n": rows.WHOLE}, room=500
    )
    rows.show_table(wide, "rows of it" if st else "", {"share": "%.2f"}, room=500, tallest=90)
    many = {name: list(cells) * 200 for name, cells in wide.items()}
    rows.show_table(many, "many", room=500)
    rows.show_table({str(n): [long] for n in range(30)}, "tokens")


def test_words_fold_where_columns_do_not_fit() -> None:
    at = AppTest.from_function(_shown).run()
    assert not at.exception
    narrow, many, tokens = (frame.value for frame in at.dataframe)
    assert len(narrow) == 2 and len(many) == 400 and len(tokens.columns) == 30
    first, second = (found.value.splitlines() for found in at.markdown)
    assert first[0] == r"| what \| was | told | share | n |"
    assert first[1] == "| :-- | :-- | --: | --: |"
    assert first[2].endswith("| 12.3 % | 1,234 |") and first[3] == r"| \*b\* |  | 100 % | 5 |"
    assert second[2].endswith("| 0.12 |")


def foot() -> None:
    from engine.course.curriculum import lesson
    from pages.ui import listings

    listings.show_listings(lesson("bag"))
    listings.show_listings(lesson("sparsity"))  # has none


def test_both_are_run_when_somebody_looks_in_their_language() -> None:
    at = AppTest.from_function(foot, default_timeout=180).run()
    assert [part.label for part in at.expander] == ["A program that goes wrong, and its repair"]
    assert not at.code and not at.exception
    at.session_state["fold.listings"] = True
    at.run()
    assert [code.value.split("(")[0].strip() for code in at.code] == ["def program"] * 2
    given = "\n".join(part.value for part in at.markdown)
    assert "| What they give | With the mistake | Repaired |" in given
    assert "| probability of praise | `ZeroDivisionError: " in given
    assert "| 0.992 |" in given and "| probability of blame |  | 0.00784 |" in given
    at = AppTest.from_function(foot, default_timeout=180)
    at.session_state["fold.listings"], at.session_state["language.chosen"] = True, "de"
    given = "\n".join(part.value for part in at.run().markdown)
    assert "| Was sie ergeben | Mit dem Fehler | Berichtigt |" in given
    assert "| Wahrscheinlichkeit von Lob | `ZeroDivisionError: " in given


def test_words_longer_than_their_column_get_a_higher_row() -> None:
    config: dict[str, Any] = {"examples": {"width": 130}}
    for said, lines in (
        ("2 + short", 1),
        ("I want my money back", 2),
        ("a word " * 7, 4),
        ("a" * 900, 4),
    ):
        assert tables._lines({"examples": ["0", said], "p": [0.5, 1.0]}, config) == lines
    assert tables._lines({"examples": ["a" * 900]}, {}) == 1
