"""Programs that go wrong: nothing is run before somebody opens them, then both are shown with what
they give."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def foot() -> None:
    from engine.course.curriculum import lesson
    from pages.ui import listings

    listings.show(lesson("bag"))
    listings.show(lesson("sparsity"))  # has none


def test_both_are_run_when_somebody_looks() -> None:
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


def test_the_table_is_in_the_language_of_the_visit() -> None:
    at = AppTest.from_function(foot, default_timeout=180)
    at.session_state["fold.listings"], at.session_state["language.chosen"] = True, "de"
    given = "\n".join(part.value for part in at.run().markdown)
    assert "| Was sie ergeben | Mit dem Fehler | Berichtigt |" in given
    assert "| Wahrscheinlichkeit von Lob | `ZeroDivisionError: " in given
