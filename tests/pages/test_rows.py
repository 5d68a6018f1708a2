"""A table hides no column: where its words do not fit side by side, they fold."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def _shown() -> None:
    import numpy as np
    import streamlit as st

    from pages.ui import rows

    long = "a sentence of some length that tells what was seen here, and nothing else"
    wide = {"what | was": [long, "*b*"], "told": [long, None], "share": np.array([0.123, 1.0])}
    rows.show({"a": [1, 2]}, "narrow")
    rows.show(wide | {"n": [1234, 5]}, "wide", {"share": rows.SHARE, "n": rows.WHOLE}, room=500)
    rows.show(wide, "rows of it" if st else "", {"share": "%.2f"}, room=500, tallest=90)
    many = {name: list(cells) * 200 for name, cells in wide.items()}
    rows.show(many, "many", room=500)
    rows.show({str(n): [long] for n in range(30)}, "tokens")


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
