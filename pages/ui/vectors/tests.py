"""How good are these vectors?  Tests with answers by people: kept results of the run, and test
files that the reader has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from engine.live.markdown import escape
from engine.runs.store import Run
from engine.vectors import evaluate, results
from pages.ui import rows as table
from pages.ui.fragment import fragment

if TYPE_CHECKING:
    from engine.models.wordspace import WordSpace

LARGEST = 20  # MB of a test file
# as a common collection names its files
TITLES = {"EN-WS-353-ALL": "WordSim-353", "EN-SIMLEX-999": "SimLex-999", "EN-MEN-TR-3k": "MEN"}


@fragment
def show(run: Run, model: WordSpace[Any]) -> None:
    st.subheader("How good are these vectors?", anchor="tests")
    found = results.kept(run.folder) if run.step is None else None  # they are of the finished run
    if found:
        _results(found)
    else:
        st.markdown(
            "No test results are stored with this run. Measure it below, or with `python -m"
            " engine vectors RUN --analogies FILE --similarity FILE --keep`."
        )
    with st.expander("Measure on test files of your own"):
        given = st.file_uploader(
            "Analogies (four words per line) or word pairs (two words and a score per line)",
            ("txt", "csv", "tsv"),
            accept_multiple_files=True,
            key="vec_tests",
            max_upload_size=LARGEST,
        )
        st.caption(
            "For instance questions-words.txt, WordSim-353, SimLex-999 or MEN. The files stay"
            " in this session and are not stored."
        )
        for file in given:
            _own(model, file.name, file.getvalue())


def _own(model: WordSpace[Any], name: str, raw: bytes) -> None:
    try:
        with st.spinner(f"Measuring on {name} …"):
            found = measured(model, name, raw)
    except ValueError as error:
        st.error(f"{escape(name)}: {escape(str(error))}.")
        return
    _results(found)


def measured(model: WordSpace[Any], name: str, raw: bytes) -> dict[str, Any]:
    """As in engine/vectors/results.py.  ValueError with one sentence when the file is no test."""
    text = evaluate.decode(raw)
    words = next(
        (line.split() for line in text.splitlines() if line.strip() and not line.startswith(":")),
        [],
    )
    four = len(words) == 4 and not any(c.isdigit() for c in "".join(words[2:]))
    if four or text.lstrip().startswith(":"):
        found = evaluate.analogies(model.space, evaluate.read_questions(text))
        sections = [asdict(s) for s in found]
        numbers = ("asked", "known", "right", "honest")
        total = {key: sum(s[key] for s in sections) for key in numbers}
        among = min(evaluate.AMONG, len(model.space))
        return {"among": among, "analogies": total | {"sections": sections}, "similarity": []}
    test = evaluate.likeness(model.space, Path(name).stem, evaluate.read_pairs(text))
    return {"analogies": None, "similarity": [asdict(test)]}


def _results(found: Mapping[str, Any]) -> None:
    left, right = st.columns((3, 2), gap="medium")
    if all_ := found["analogies"]:
        with left:
            rows = [{"name": "all", **all_}, *all_["sections"]]
            right_share, honest_share = (
                _share(all_[key], all_["known"]) for key in ("right", "honest")
            )
            if all_["known"]:
                st.markdown(
                    f"**Analogies: {right_share:.1f} %** of {all_['known']:,} questions are"
                    " answered correctly when the question's own words are excluded,"
                    f" **{honest_share:.1f} %** when nothing is."
                )
            table.show(
                {
                    "section": [r["name"] for r in rows],
                    "right, %": [_share(r["right"], r["known"]) for r in rows],
                    "nothing excluded, %": [_share(r["honest"], r["known"]) for r in rows],
                    "questions known": [f"{r['known']:,} of {r['asked']:,}" for r in rows],
                },
                forms={"right, %": "%.1f", "nothing excluded, %": "%.1f"},
                height="content",
            )
            st.caption(
                "A question is known when all four words have a vector; the others are"
                " skipped, so a small vocabulary makes the test easier. Compare shares only at"
                " similar coverage."
            )
    if tests := found["similarity"]:
        with right if found["analogies"] else left:
            st.markdown(
                "**Similarity as people judge it**, Spearman's rank correlation: 1 means the"
                " same order of the pairs, 0 no relation."
            )
            table.show(
                {
                    "test": [TITLES.get(t["name"], t["name"]) for t in tests],
                    "Spearman": [t["spearman"] for t in tests],
                    "pairs known": [f"{t['known']:,} of {t['pairs']:,}" for t in tests],
                },
                forms={"Spearman": "%.3f"},
            )
            st.caption(
                "WordSim-353 and MEN ask how related two words are. SimLex-999 asks how"
                " similar they are in meaning and rates opposites low, which cosines do not."
            )


def _share(part: int, whole: int) -> float | None:
    return 100 * part / whole if whole else None
