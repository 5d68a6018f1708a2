"""The live part of the lesson on preferences: what each token adds to the reward, what the tuned model expects
next, and how much likelier it finds what is typed.

Shapes    T = tokens, V = vocabulary, K = candidates
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from engine.core.trace import Trace
from engine.frame import picture as pic
from engine.language.message import _
from engine.lessons.preferences import reward
from engine.lessons.preferences.head import Chosen
from engine.live import declared
from engine.live.stage import Stage
from engine.models.transformer import Transformer
from engine.runs.store import Run

LIKELY = 10  # candidates: the likeliest of both models together
READ = ("key", "value", "probability")
WANTED = "Type a few words."

REWARD = pic.Picture(
    "reward",
    pic.Over(
        (pic.Bars("reward", (("reward<0", "line-1"), ("", "accent"))),),
        high=130,
        scale="number",
        widest=90,
    ),
    "The reward of each token",
    "The reward of what you type: {total}",
    "What each token adds to the reward, read off the stream behind layer {layer:n}; the reward of a text is their sum."
    " Bars above 0 are liked, bars below are not.",
    (
        "“{token}” adds {reward}; up to here the text has {so_far}.",
        WANTED,
    ),
    table=pic.table("token", "token: {token} | adds: {reward} | so far: {so_far}"),
)
NEXT = pic.Picture(
    "ahead",
    pic.Columns(
        pic.Rows("rank"),
        (
            pic.Words("Next word", "{candidate:word}", wide=0.6),
            pic.Column("Old model", "p.before", faint=True),
            pic.Column("Tuned model", "p.after"),
        ),
    ),
    "What comes next, before and after the tuning",
    "What comes next behind “{token}”, before and after the tuning",
    "",
    (
        "Behind “{token}” the probability of “{candidate:word}” was {p.before:%}, and is {p.after:%} after the tuning.",
        "Behind “{token}” the tuned model is {kl} nats away from the old one. {each}.",
        WANTED,
    ),
    side="left",
    parts={
        "each": pic.Series(
            "rank", "“{candidate:word}” {p.before:%} → {p.after:%}", "; ", 4, "moved"
        )
    },
    table=pic.table(
        "token rank",
        "behind: {token} | next: {candidate:word} | before: {p.before:%} | after: {p.after:%}",
    ),
)
GAIN = pic.Picture(
    "gain",
    pic.Over(
        (
            pic.Bars("gain", (("gain<0", "line-1"), ("", "accent"))),
            pic.Line("kl", "text", label="KL", width=1.5, dots=2),
        ),
        high=150,
        scale="number",
        widest=90,
    ),
    "How much likelier the tuned model finds it",
    "How much likelier the tuned model finds it: {gained} nats",
    "Bars: log π(token) / π_ref(token) in nats, whose sum, times β, is the reward that DPO gives a text. Line: the KL"
    " at each place, how far the tuned model has gone from the old one over all words that may come next.",
    (
        "The log-probability of “{token}” has changed by {gain} nats. Over what may follow it, the KL is {kl} nats.",
        "Over what may follow the beginning, the KL is {kl} nats.",
        WANTED,
    ),
    side="right",
    table=pic.table("token", "token: {token} | nats likelier: {gain} | KL behind it in nats: {kl}"),
)


def once(model: Transformer, of: Chosen) -> pic.Once:
    return pic.Once(
        {
            "rank": [str(n) for n in range(1, LIKELY + 1)],
            "word": model.tokenizer.vocab,
            "fitted": [of.study.stamp, str(of.tuned)],  # so that the browser notices another one
        }
    )


class Comparing:
    """What is derived of a text, for one visitor's page; the tuned model goes on from the text before, and so does
    what is compared."""

    def __init__(self, of: Chosen) -> None:
        self.of = of
        self.last: Trace | None = None
        self.ids, self.kept = np.zeros(0, int), dict[str, np.ndarray]()

    def __call__(self, model: Transformer, trace: Trace, asks: Mapping[str, object]) -> pic.Derived:
        study = self.of.study
        state_TD = trace.field("residual").values[study.asked.layer]
        reward_T = reward.features(state_TD) @ study.theta_E
        reward_T[: int(model.tokenizer.opens and not trace.offset)] = 0
        found = self.compared(trace)
        gain_T = np.append(np.nan, found.pop("gain")[:-1])
        rank = ("token", "rank")
        return {
            "reward": (("token",), reward_T),
            "so_far": (("token",), reward_T.cumsum()),
            "total": ((), reward_T.sum()),
            "layer": ((), study.asked.layer + 1),
            **{n: (rank if v.ndim > 1 else ("token",), v) for n, v in found.items()},
            "gain": (("token",), gain_T),
            "gained": ((), np.nansum(gain_T)),
        }

    def compared(self, trace: Trace) -> dict[str, np.ndarray]:
        """`compare` of all tokens; those that stood there before are not compared again."""
        new, old_TV, place = self.of.after, trace.field("probability").values, (trace.offset,)
        if new is None:
            new_TV = old_TV
        else:
            window = trace.offset, trace.offset + len(trace.ids)
            self.last = new.trace(trace.text, fields=READ, window=window, after=self.last)
            new_TV = self.last.field("probability").values
        ids = np.append(place, trace.ids)
        most = min(len(ids), len(self.ids))
        same = int(np.cumprod(ids[:most] == self.ids[:most]).sum()) - 1
        keep = max(0, same - 1)  # what follows the last of them may be another token
        follows = np.append(trace.ids[keep + 1 :], 0)
        fresh = compare(old_TV[keep:], new_TV[keep:], follows)
        self.ids = ids
        self.kept = {
            n: np.concatenate((self.kept[n][:keep], v)) if keep else v for n, v in fresh.items()
        }
        return dict(self.kept)


def compare(old_TV: np.ndarray, new_TV: np.ndarray, follows_T: np.ndarray) -> dict[str, np.ndarray]:
    """The likeliest of both models, in nats how much likelier the token that follows has become, and the KL."""
    both_TV = np.maximum(old_TV, new_TV)
    top_TK = np.argpartition(-both_TV, LIKELY, axis=1)[:, :LIKELY]
    order_TK = np.argsort(-np.take_along_axis(both_TV, top_TK, 1), axis=1, kind="stable")
    top_TK = np.take_along_axis(top_TK, order_TK, 1)
    old_TK, new_TK = (np.take_along_axis(p_TV, top_TK, 1) for p_TV in (old_TV, new_TV))
    ratio_TV = np.log(np.maximum(new_TV, 1e-30) / np.maximum(old_TV, 1e-30))
    return {
        "candidate": top_TK,
        "p.before": old_TK,
        "p.after": new_TK,
        "moved": np.abs(new_TK - old_TK),
        "gain": ratio_TV[np.arange(len(follows_T)), follows_T],
        "kl": (new_TV * ratio_TV).sum(1),
    }


def stage(run: Run, judge: Chosen) -> Stage:
    said = _("Tuned by {how}. The likeliest words of both models.", how=_(judge.tuned))
    tuned = (replace(NEXT, says=said), GAIN) if judge.after else ()
    live = pic.Live(
        (),
        (REWARD, *tuned),
        lambda model: once(model, judge),
        Comparing(judge),
        also=("residual", *READ),
        places={"rank": pic.Place("rank", first=-1)},
    )
    return declared.stage(live, run, "preferences")


LIVE = stage
