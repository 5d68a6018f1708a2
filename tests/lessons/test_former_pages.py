"""Each page of before has a file that leads on, to a lesson that there is."""

from __future__ import annotations

from engine.course.curriculum import LESSONS
from engine.lessons.former_pages import MOVED
from tests.conftest import ROOT, together


def test_each_has_its_page_and_leads_to_a_lesson() -> None:
    ids = {item.id for item in LESSONS}
    files = {path.stem for path in (ROOT / "pages").glob("[a-z]*.py")}
    assert files == {*MOVED} and not ids & {*MOVED}
    for old, (new, chosen) in MOVED.items():
        assert new in ids, old
        assert isinstance(chosen({}), dict)


@together(
    ("old", "asked", "wanted"),
    [
        ("size", {"in": "5"}, {"by": "5", "panel": "sizes"}),
        ("size", {"bits": "3"}, {"bits": "3"}),
        ("lookup", {"rules": "40.dot"}, {"attention.lookup.meets": "dot"}),
        ("lookup", {"rules": "40.dot", "text": "a"}, {"attention.lookup.library": "a"}),
        ("lookup", {"rules": "40.dot"}, {"attention.lookup.heat": "1"}),
        ("local", {}, {"scores.head.looks": "scope"}),
        ("sparse", {"panel": "fold.shared"}, {"panel": "fold.shared"}),
        ("variants", {}, {"panel": "part-cache"}),
        ("variants", {"variant": "Mixture", "share": "0.3"}, {"panel": "part-mixture"}),
        ("variants", {"variant": "Spelling", "slip": "x"}, {"gap": "x", "panel": "part-spelling"}),
        ("dynamics", {"clip": "1", "w": "2"}, {"w": "2", "panel": "network"}),
        ("duel", {"duel_seed": "7"}, {"runs": "counted.stories,counted.python_docs"}),
        ("generation", {"seed": "3"}, {"decoding.counts.draw": "3"}),
        ("generation", {"corpus": "a"}, {"decoding.counts.corpus": "a"}),
    ],
)
def test_what_was_chosen_is_chosen_there(
    old: str, asked: dict[str, str], wanted: dict[str, str]
) -> None:
    found = MOVED[old][1](dict(asked))
    assert wanted.items() <= found.items()
    assert not {"in", "rules", "variant", "slip", "clip", "duel_seed", "seed"} & found.keys()
