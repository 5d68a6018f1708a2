"""The live part of the page: before each typed token the longest context that the text has, how the search for it
narrows, and what followed it.

Shapes    T = tokens shown, D = tokens of a context, K = words that follow
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from engine.frame import picture as pic
from engine.language.message import _
from engine.lessons.counting_texts import Counted
from engine.lessons.infinite.matches import LISTED, Matches, matches
from engine.live import declared
from engine.live.reader import describe_unread
from engine.live.reply import ReadingPart, unread
from engine.live.stage import Stage
from engine.live.window import Window
from engine.ngram.index import FARTHEST

READER, SHOWN, WORDS = "infinite", 9, 10  # SHOWN: lengths of contexts; WORDS: of one, written
CONTEXTS = pic.Picture(
    "contexts",
    pic.Columns(
        pic.Rows("token", fold=pic.Fold("recent", 14, 18)),
        (
            pic.Words(
                "longest context that occurs", "[{?length>10}… ][{?opens}<s> ][{before}]", wide=1.6
            ),
            pic.Words(_("length"), "{length:n}", wide=0.4),
            pic.Words(_("times"), "[{?length>0}{times:n}]", wide=0.5),
            pic.Column("P by ∞-gram", "p"),
            pic.Column("P by Kneser-Ney", "smoothed", colour="line-1"),
        ),
    ),
    "How far back the text knows what you type",
    says="For each token that you type: the longest run of tokens before it that occurs in the text, and how often. The"
    " ∞-gram counts what followed that run; modified Kneser-Ney mixes short contexts.",
    tell=(
        "{?strange}The text has no “{token}”, so no context reaches over it. Modified Kneser-Ney: {smoothed:%}.",
        "{?alone}{hits:n} of {times:n} lines begin with “{token}”: {p:%}. Modified Kneser-Ney: {smoothed:%}.",
        "Before “{token}” the text has “[{?opens}<s> ]{before}” {times:n} {times|time|times}, and {hits:n} of them go"
        " on with “{token}”: {p:%}. Modified Kneser-Ney: {smoothed:%}.",
        "Before “{token}” no context occurs, so its share of all words counts: {p:%}. Modified Kneser-Ney:"
        " {smoothed:%}.",
        "Type a few words.",
    ),
    parts={"before": pic.Series("place", "{context:token}", " ")},
    table=pic.table(
        "token",
        "word: {token} | longest context: [{?opens}<s> ][{before}] | length: {length:n} | times: {times:n}"
        " | ∞-gram: {p:%} | Kneser-Ney: {smoothed:%}",
    ),
)
NARROWS = pic.Picture(
    "narrows",
    pic.Columns(
        pic.Rows("depth"),
        (
            pic.Words("begins with", "[{added:token}][{?edge}<s>]"),
            pic.Words("sorted places", "[{?many>0}{low:n} to {last:n}][{?many=0}none]", wide=1.3),
            pic.Column("places, log scale", "many", largest=True, log=True),
        ),
    ),
    "The search narrows",
    says="A suffix array holds every place of the text, sorted by what stands there. So all places of a run of tokens"
    " lie side by side, and counting it is subtracting two numbers. Row n has the last n tokens.",
    tell=(
        "Up to “{token}”, a context of {longest:n} {longest|token|tokens} still occurs, {found:n} {found|time|times}.",
        "Up to “{token}” no context occurs: what comes next is counted over all {all:n} places.",
        "Type a word.",
    ),
    side="left",
    table=pic.table(
        "token depth",
        "up to: {token} | length: {depth} | from: {low:n} | to: {last:n} | places: {many:n}",
    ),
)
NEXT = pic.Picture(
    "next",
    pic.Columns(
        pic.Rows("rank"),
        (
            pic.Words(_("∞-gram"), "[{follows:word}]"),
            pic.Words(_("times"), "{counted:n}", wide=0.5),
            pic.Column(_("share"), "share"),
            pic.Words("Kneser-Ney", "{expected:word}"),
            pic.Column("P", "expected.p", colour="line-1"),
        ),
    ),
    "What comes next",
    "What comes next after “{token}”",
    says="The ∞-gram knows only what followed the longest context, often a single token. It gives all others 0.",
    tell=(
        "After “[{?starts}<s> ][{after}]”: “{follows[rank=0]:word}” {counted[rank=0]:n} of {found:n} times. Modified"
        " Kneser-Ney: “{expected[rank=0]:word}”, {expected.p[rank=0]:%}.",
        "After “{token}”: modified Kneser-Ney expects “{expected[rank=0]:word}”, {expected.p[rank=0]:%}.",
        "Type a word.",
    ),
    side="right",
    parts={"after": pic.Series("place", "{behind:token}", " ")},
    table=pic.table(
        "token rank",
        "after: {token} | rank: {rank} | ∞-gram: {follows:word} | times: {counted:n} | share: {share:%}"
        " | Kneser-Ney: {expected:word} | P: {expected.p:%}",
    ),
)
PICTURES = pic.Live((), (CONTEXTS, NARROWS, NEXT))


def derive(of: Matches, ids_T: np.ndarray, first: int, stop: int) -> pic.Derived:
    """Of the tokens `first` to `stop` of all, which stand behind a line end."""
    start = max(0, first - FARTHEST - 1)
    ids_T = ids_T[start : stop + 1]
    runs = of.runs(ids_T)
    t = np.arange(first, stop) + 1 - start  # behind the line end that the text is read behind
    hidden = first + 1 - start
    with np.errstate(divide="ignore", invalid="ignore"):
        p_T, smoothed_T = of.infinite(runs)[t], of.smoothed(ids_T)[t]
    length_T, longest_T = runs.context_T[t], runs.context_T[t + 1]
    deep_D, place_W = np.arange(SHOWN), np.arange(WORDS)
    length_TD = np.minimum(deep_D, longest_T[:, None] + 1)
    low_TD, high_TD = runs.slices((t + 1)[:, None] + 0 * deep_D, length_TD)
    marks_T = np.append(ids_T == of.boundary, False)
    begin_T = np.maximum.accumulate(np.where(marks_T, np.arange(len(marks_T)), 0))[t]
    # the one that is too long is shown as well, unless the line begins there
    shown_TD = deep_D <= np.minimum(longest_T + 1, t + 1 - begin_T)[:, None]
    begins_TD = np.maximum((t + 1)[:, None] - deep_D, 0)
    edge_TD = shown_TD & (deep_D > 0) & marks_T[begins_TD]
    many_TD = np.where(shown_TD, high_TD - low_TD, np.nan)

    def words(end_T: np.ndarray, length_T: np.ndarray) -> np.ndarray:
        """The last WORDS of the contexts that end before these, as places of the tokens that are shown."""
        at_TW = end_T[:, None] - WORDS + place_W
        there_TW = (place_W >= WORDS - length_T[:, None]) & (at_TW >= hidden)
        there_TW &= ~marks_T[np.maximum(at_TW, 0)]
        return np.where(there_TW, at_TW - hidden, np.nan)

    listed = np.full((4, len(t), LISTED), np.nan)
    for n, (counted, expected) in enumerate(of.next(runs, t + 1)):
        for k, values in enumerate((*counted, *expected)):
            listed[k, n, : len(values)] = values
    listed[0, longest_T == 0] = listed[1, longest_T == 0] = np.nan
    found_T = of.total(runs, t + 1)
    return {
        "all": ((), len(of)),
        "recent": (("token",), t),
        "strange": (("token",), ids_T[t] == 0),
        "length": (("token",), length_T),
        "times": (("token",), of.total(runs, t)),
        "hits": (("token",), of.count(runs)[t]),
        "opens": (("token",), (length_T > 0) & marks_T[t - length_T]),
        "alone": (("token",), (length_T == 1) & marks_T[t - 1]),
        "starts": (("token",), (longest_T > 0) & marks_T[t + 1 - longest_T]),
        "p": (("token",), p_T),
        "smoothed": (("token",), smoothed_T),
        "context": (("token", "place"), words(t, length_T)),
        "behind": (("token", "place"), words(t + 1, longest_T)),
        "longest": (("token",), np.where(longest_T > 0, longest_T, np.nan)),
        "found": (("token",), found_T),
        "added": (
            ("token", "depth"),
            np.where(
                shown_TD & ~edge_TD & (deep_D > 0) & (begins_TD >= hidden),
                begins_TD - hidden,
                np.nan,
            ),
        ),
        "edge": (("token", "depth"), edge_TD),
        "low": (("token", "depth"), np.where(many_TD > 0, low_TD, np.nan)),
        "last": (("token", "depth"), np.where(many_TD > 0, high_TD - 1, np.nan)),
        "many": (("token", "depth"), many_TD),
        "follows": (("token", "rank"), listed[0]),
        "counted": (("token", "rank"), listed[1]),
        "share": (("token", "rank"), listed[1] / found_T[:, None]),
        "expected": (("token", "rank"), listed[2]),
        "expected.p": (("token", "rank"), listed[3]),
    }


def stage(*, study: Counted) -> Stage:
    of = matches(study)
    tokenizer, vocab = study.study.tokenizer, study.study.vocab

    def read(
        text: str, shown: Window, asks: Mapping[str, object]
    ) -> tuple[ReadingPart, pic.Derived]:
        tokens = tokenizer.encode(text)
        there = [n for n, (a, b) in enumerate(tokens.spans) if a >= shown[0] and b <= shown[1]]
        first, stop = (there[0], there[-1] + 1) if there else (0, 0)
        mine = tokens[first:stop]
        part = unread(READER, list(mine.labels), list(mine.spans), {}, list(mine.unknown))
        part["offset"], part["total"] = first, len(tokens)
        if not there:
            return part, {}
        return part, derive(of, np.append(of.boundary, tokens.ids), first, stop)

    labels = {
        "word": vocab,
        "rank": [str(n + 1) for n in range(LISTED)],
        "depth": [str(n) for n in range(SHOWN)],
    }
    once = pic.Once(labels)
    reader = describe_unread(READER, study.preset.title, study.cut, vocabulary=len(vocab))
    pictures = replace(PICTURES, once=lambda _model: once)
    return replace(declared.unread(pictures, reader, read), columns=(1, 1))


LIVE = stage
