"""Two states and three words, whose tables fit on a page: every number of every recursion, and all
paths, one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from engine.hmm import forgetting, paths, recursions
from pages.ui import ask, rows

LONGEST, FIRST = 8, "1 2 3"
START = np.array([0.6, 0.4])
WRITES = np.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]])
CHAINS = {
    "the textbook's": np.array([[0.7, 0.3], [0.4, 0.6]]),
    "sticky": np.array([[0.95, 0.05], [0.05, 0.95]]),
    "never changes": np.eye(2),
    "always changes": np.eye(2)[::-1],
}


def show() -> None:
    st.markdown(
        "The same model with two states and three words, **1**, **2** and **3**: small enough to check by hand."
        " Switch the transitions and type words. With “sticky” a state outlives a word that does not suit it;"
        " with “never changes” the start is never forgotten."
    )
    line = ask.line()
    ask.begin(signs=FIRST)
    typed = ask.text("Words, each 1, 2 or 3", "signs", 40, where=line)
    chain = ask.pick("Transitions A", [*CHAINS], "chain", "the textbook's", line)
    word_T = np.array([int(sign) - 1 for sign in typed if sign in "123"][:LONGEST], np.int64)
    if not len(word_T):
        st.info("Type some of the words 1, 2 and 3.")
        return
    a_SS = CHAINS[chain]
    left, right = st.columns((2, 3))
    with left:
        tables(a_SS)
    with right:
        recursion(a_SS, word_T)
    ways(a_SS, word_T)


def tables(a_SS: np.ndarray) -> None:
    st.caption("The tables: each row sums to 1")
    of: list[tuple[str, np.ndarray, Any]] = [
        ("start π", START, ()),
        ("1", a_SS[0], WRITES[0]),
        ("2", a_SS[1], WRITES[1]),
    ]
    found = [
        {"from": name, "to 1": f"{to[0]:.2f}", "to 2": f"{to[1]:.2f}"}
        | {f"writes {w + 1}": f"{b[w]:.2f}" if len(b) else "" for w in range(3)}
        for name, to, b in of
    ]
    rows.show(found, "tables")
    second = forgetting.second(a_SS)
    st.caption(
        f"Second eigenvalue of A: {second:.2f}. The nearer to 1, the longer the start matters."
    )


def recursion(a_SS: np.ndarray, word_T: np.ndarray) -> None:
    like_TS = WRITES.T[word_T]
    predict_TS, filter_TS, scale_T = recursions.forwards(START, a_SS, like_TS)
    r_TS = recursions.backwards(a_SS, recursions.heard(like_TS, scale_T))
    smooth_TS = recursions.smoothed(filter_TS, r_TS)
    best_T = recursions.path(*recursions.viterbi(START, a_SS, like_TS))
    st.caption("State 1 word by word; state 2 has the rest")
    found = [
        {
            "word": str(word + 1),
            "predicted": float(predict_TS[t, 0]),
            "P(word | before)": float(scale_T[t]),
            "filtered": float(filter_TS[t, 0]),
            "smoothed": float(smooth_TS[t, 0]),
            "likeliest path": str(best_T[t] + 1),
        }
        for t, word in enumerate(word_T)
    ]
    numbers = ("predicted", "P(word | before)", "filtered", "smoothed")
    rows.show(found, "recursion", dict.fromkeys(numbers, "%.6f"))
    st.caption(
        f"The product of P(word | before) is the probability of the text: {scale_T.prod():.8f}"
    )


def ways(a_SS: np.ndarray, word_T: np.ndarray) -> None:
    path_PT, p_P = paths.listed(START, a_SS, WRITES.T[word_T])
    total, order_P = p_P.sum(), np.argsort(-p_P, kind="stable")
    st.markdown(
        f"**All {len(p_P)} paths**, the likeliest first. They add up to {total:.8f}, the product above:"
        " the recursions find the same sum without listing one."
    )
    found = [
        {
            "path": " ".join(str(s + 1) for s in path_PT[n]),
            "P(path and text)": float(p_P[n]),
            "share of all": float(p_P[n] / total) if total else 0.0,
        }
        for n in order_P
    ]
    rows.show(found, "paths", {"P(path and text)": "%.8f", "share of all": rows.SHARE}, width=480)
