"""Corpus duel, of before: a link leads to its two sides on the page Compare."""

import streamlit as st

asked = st.query_params.to_dict()
cut = ".words" if asked.pop("duel_cut", "") == "words" else ""
sides = (
    asked.pop(f"side_{side}", f"counted.{text}")
    for side, text in zip("ab", ("stories", "python_docs"))
)
asked["runs"] = ",".join(f"{id}{cut}" if id.startswith("counted.") else id for id in sides)
for name in ("w", "t", "prompt", "kind", "steps", "seed"):
    if f"duel_{name}" in asked:
        asked[f"compare.together.{name}"] = asked.pop(f"duel_{name}")
        asked.setdefault("panel", "part-let-both-write-one-text")
asked.setdefault("text", "She gave him a silver key, and the function returned the value.")
st.switch_page("pages/625_compare.py", query_params=asked)
