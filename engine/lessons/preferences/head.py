"""Who prefers what, which is chosen in the head of the page, and the tuned model that stands beside the old one."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from engine import frame as fr
from engine.core.cache import Cache
from engine.language.markdown import escaped
from engine.language.message import _
from engine.lessons.preferences import judges, replies, tuned
from engine.lessons.preferences import study as studies
from engine.lessons.preferences.judges import By, Pair
from engine.lessons.preferences.replies import Reply
from engine.lessons.preferences.study import Study
from engine.models.transformer import Transformer
from engine.runs.store import Run

SHOWN = 6  # replies to a prompt that is typed
PER_DRAW = SHOWN * (SHOWN - 1) // 2
NOTHING = "nothing: not tuned"
_answers: Cache[Any, Any] = Cache("preferences", lambda found: 1, most=24)


@dataclass(frozen=True)
class Chosen:
    """`states` of own tunings: what the page shows depends on them."""

    study: Study
    tuned: str
    after: Transformer | None
    states: tuple[tuple[str, str], ...]


def given_model(given: fr.Others) -> Transformer:
    return studies.check(given["open_run"](given["run"]))


def layers(given: fr.Others) -> int:
    try:
        return given_model(given).depth
    except (ValueError, LookupError):  # as the page says below
        return 1


def tunings(given: fr.Others) -> dict[str, str]:
    """What there is to compare with, by where it lies."""
    return {str(path): name for name, path in tuned.finished(given["run"])} | {"": NOTHING}


def first_tuning(given: fr.Others) -> str:
    """That of the rule which is chosen, where it is shipped."""
    of = f"dpo_{given['by']}."
    return next((id for id in tunings(given) if Path(id).name.startswith(of)), "")


@dataclass(frozen=True)
class Question:
    """Two replies to one beginning; `n`: which of the questions about it this is."""

    prompt: str
    n: int
    left: Reply
    right: Reply

    def answer(self, *said: str) -> str:
        return json.dumps([self.prompt, self.n, *said], ensure_ascii=False)


def noted(clicks: tuple[str, ...]) -> list[Pair]:
    """What the noted texts say; those that were skipped say nothing."""
    found = []
    for one in clicks:
        try:
            prompt, __, chosen, rejected = json.loads(one)
        except ValueError:
            continue
        found.append(Pair(str(prompt), str(chosen), str(rejected)))
    return found


def question(run: Run, model: Transformer, beginning: str, clicks: tuple[str, ...]) -> Question:
    """The next one about a beginning: each draw of replies is compared pair by pair, then there is another one."""
    prompt = replies.check(model, beginning)
    asked = [row for row in map(json.loads, clicks) if row[0] == prompt and row[1] >= 0]
    n = 1 + max((row[1] for row in asked), default=-1)
    while True:
        draw, at = divmod(n, PER_DRAW)
        key = "written", run.key, prompt, draw
        some: list[Reply] = _answers.made(key, partial(replies.write, model, prompt, SHOWN, draw))
        rng = np.random.default_rng(draw)
        a, b = rng.permutation([*combinations(range(SHOWN), 2)])[at]
        if some[a].text != some[b].text and some[a].text.strip() and some[b].text.strip():
            return Question(prompt, n, some[a], some[b])
        n += 1


def buttons(given: fr.Others) -> list[tuple[tuple[str, ...], fr.Words]]:
    """What each button under the two replies adds."""
    found: list[tuple[tuple[str, ...], fr.Words]] = []
    try:
        now = question(given["run"], given_model(given), given["beginning"], given["clicks"])
    except (ValueError, LookupError):
        pass  # the page says why
    else:
        left, right = now.left.text.strip(), now.right.text.strip()
        found += [
            ((now.answer(left, right),), "The first is better"),
            ((now.answer(right, left),), "The second is better"),
            ((now.answer(),), "Skip"),
        ]
    found.append(((), "Take back"))
    brought = tuple(one for one in _read(given) if one not in given["clicks"])
    if brought:
        said = _("Add {n:,} {n|choice|choices} of the file", n=len(brought))
        found.append((brought, said))
    return found


def _read(given: fr.Others) -> list[str]:
    if given["file"] is None:
        return []
    try:
        pairs = judges.read(given["file"][1])
    except ValueError:
        return []
    return [json.dumps([p.prompt, -1, p.chosen, p.rejected], ensure_ascii=False) for p in pairs]


@fr.head("Fitting the reward model …")
def judge(
    run: Run,
    open_run: Callable[[Run], Any],
    by: By = fr.pick("Who prefers", judges.TITLES, "words", width=230),
    *,
    tuning: str = fr.pick("Tuned model beside the old one", tunings, first_tuning, width=330),
    words: str = fr.typed(
        "Words that count, and behind a minus those that count against", judges.WORDS, 300
    ),
    layer: int = fr.slider("The reward reads layer", 1, layers, 1, width=220),
    beginning: str = fr.typed("A beginning", "The old man looked at her and", replies.LONGEST),
    clicks: tuple[str, ...] = fr.noted("Which reply is better?", buttons),
    file: Any = fr.upload("A file of choices", ("jsonl", "json", "txt")),
) -> fr.Choosing[Chosen]:
    model = studies.check(open_run(run))
    if by == "clicks":
        yield from asking(run, model, beginning, clicks, file)
    said = noted(clicks)
    asked = studies.Asked(by, words, layer - 1, tuple(said) if by == "clicks" else ())
    of = studies.make(run, model, asked)
    if by == "words":
        yield fr.Controls(["words"])
    if of.problem:
        yield fr.Note(of.problem)
    else:
        yield fr.Note(
            _(
                "{pairs:,} pairs of replies, of which {rule} is better. A reward for each token is fitted to them; of"
                " pairs that it was not fitted to it gets {share:.0%} right.",
                pairs=len(of.pairs),
                rule=_(BETTER[by]),
                share=of.unseen,
            )
        )
        yield from map(fr.Note, of.notes)
    yield fr.Controls(["tuning", "layer"])
    after = None
    if tuning:
        after = _answers.made(("after", run.key, tuning), lambda: tuned.read(model, Path(tuning)))
    return Chosen(of, tunings({"run": run}).get(tuning, NOTHING), after, tuned.states())


BETTER: dict[By, str] = {
    "words": "the one with more of the words",
    "shorter": "the shorter one",
    "clicks": "the one that you chose",
}


def asking(
    run: Run, model: Transformer, beginning: str, clicks: tuple[str, ...], file: Any
) -> fr.Blocks:
    """Two replies side by side, and buttons."""
    said = noted(clicks)
    yield fr.Controls(["beginning"])
    try:
        now = question(run, model, beginning, clicks)
    except ValueError as problem:
        yield fr.Problem(str(problem))
    else:
        start = escaped(now.prompt).join(("> *", "*"))
        both = (escaped(one.text.strip()) for one in (now.left, now.right))
        yield fr.Beside([[" ".join((start, text))] for text in both])
    yield fr.Controls(["clicks"])
    inside: list[fr.Block] = [fr.Controls(["file"])]
    if file is not None:
        try:
            judges.read(file[1])
        except ValueError as problem:
            inside.append(fr.Problem(str(problem)))
    if said:
        name = "preferences.jsonl"
        inside.append(fr.Download("Save my choices", name, lambda: judges.write(said)))
    yield fr.Line(
        [
            _("{n:,} {n|choice|choices} so far.", n=len(said)),
            fr.Behind("Save or bring back", inside),
        ]
    )


HEAD = judge
