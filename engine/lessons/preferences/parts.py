"""What stands below the live pictures: replies by reward, the reward model, DPO, PPO, and too much of a good reward.

Shapes    B = replies, N = pairs
"""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import frame as fr
from engine.language.markdown import escaped
from engine.language.message import _
from engine.language.numbers import number
from engine.lessons.preferences import replies, reward, tuned, tuning
from engine.lessons.preferences import study as studies
from engine.lessons.preferences.head import Chosen
from engine.lessons.preferences.study import Study
from engine.lessons.preferences.tuning import Settings
from engine.models.transformer import Transformer

BETAS = {"dpo": (0.02, 0.1, 0.5), "ppo": (0.0, 0.3, 1.0, 3.0)}
WORTH = {
    "reward": "reward, by the reward model",
    "rule": "score by the stated rule",
    "kl": "KL to the old model (nats a reply)",
    "repeated": "share of words that a reply has said before",
}
HEADS = {"reward": "reward", "rule": "rule", "kl": "KL in nats", "repeated": "words repeated"}
SHOWN = 60  # pairs in the table
TITLES = {
    "reward": "The reward, by the reward model",
    "rule": "The score by the stated rule",
    "kl": "How far from the old model",
    "repeated": "How much a reply repeats itself",
}


@fr.part("Replies, old and new")
def written(
    judge: Chosen,
    above: str,
    draw: int = fr.number("Draw", 0, 999, 0),
) -> fr.Blocks:
    yield (
        "Six replies to what stands in the text box, drawn with the same numbers by chance from the old and from the"
        " tuned model, best first. A reply ends with its sentence."
    )
    study, columns = judge.study, list[list[fr.Block]]()
    for n, (title, one) in enumerate((("Before", study.model), ("After", judge.after))):
        if one is None:
            continue
        yield fr.Progress(n / 2, "Writing …")
        some = replies.write(one, above, 6, draw)
        reward_B = study.reward(some)
        rows = [
            {"reward": float(reward_B[b]), "reply": some[b].text.strip() or "…"}
            for b in np.argsort(-reward_B)
        ]
        mean = number(float(reward_B.mean()))
        said = _("{title}: mean reward {mean}", title=_(title), mean=mean)
        columns.append([said, fr.Rows(rows, forms={"reward": "%.2f"}, folds=True)])
    if judge.after is None:
        columns.append([fr.Note("Choose a tuning above to see what it has changed.")])
    yield fr.Beside(columns)


@fr.part("A reward from pairs", was=("chosen", "rejected", "preference"))
def fitted(
    judge: Chosen,
    chosen: float = fr.slider("Reward of the better reply", -5.0, 5.0, 1.0, 0.1),
    rejected: float = fr.slider("Reward of the worse reply", -5.0, 5.0, 0.0, 0.1),
    *,
    layers: bool = fr.start("Fit it to every layer", ("judge",)),
) -> fr.Blocks:
    yield (
        "A language model is trained in phases. It learns to continue much text; then, from good answers, to answer"
        " (supervised fine-tuning); then, from comparisons, to answer as people like it, which is what this page does."
        " Nobody can say how good a reply is, but anybody can say which of two is better. Bradley and Terry: the better"
        " one wins with probability $\\sigma(r_w - r_l)$. The rewards that make what was chosen likeliest are those of"
        " least loss, and the loss of one pair is"
    )
    loss, p = reward.compare(chosen, rejected)
    yield fr.Formula(
        rf"-\log\sigma(r_w - r_l) = -\log\sigma({chosen - rejected:.1f}) ="
        rf" {loss:.3f}\ \text{{nats}}, \qquad P(\text{{better}}) = {100 * p:.1f}\,\%"
    )
    study = judge.study
    _needed(study)
    yield _(
        "Here $r$ is a sum over the tokens of a reply, $\\theta \\cdot h_t + b$, with $h_t$ what the stream holds"
        " behind layer {layer}, centred and of length 1. Only $\\theta$ and $b$ are fitted, {numbers:,} numbers, to"
        " {pairs:,} pairs; with $\\frac12|\\theta|^2$ added the loss has one lowest point, and Newton's steps are there"
        " after a few.",
        layer=study.asked.layer + 1,
        numbers=len(study.theta_E),
        pairs=len(study.pairs),
    )
    gap_N = study.away_NE @ study.theta_E
    rows = [
        (
            f"{a.prompt}{a.text}",
            f"{b.prompt}{b.text}",
            float(gap_N[n]),
            reward.compare(float(gap_N[n]), 0)[1],
        )
        for n, (a, b) in enumerate(study.pairs[:SHOWN])
    ]
    yield fr.table(
        ("better reply", "worse reply", "r(better) − r(worse)", "P(better)"),
        rows,
        forms={"P(better)": fr.SHARE, "r(better) − r(worse)": "%.2f"},
        tall=260,
    )
    yield fr.Controls(["layers"])
    if layers:
        shares = yield from by_layer(study)
        yield fr.curves(
            "layers",
            "Pairs that it was not fitted to, and gets right, by layer",
            {"share": (range(1, len(shares) + 1), [100 * one for one in shares])},
            "layer that the reward reads",
            "per cent of pairs",
            "Fitted to four fifths of the beginnings at a time, asked about the rest; 50 % is guessing",
            whole=True,
        )


def by_layer(study: Study) -> fr.Taking[list[float]]:
    """The share of unseen pairs that is right, of a reward that reads each layer."""
    found: list[float] = []
    for layer in range(study.model.depth):
        yield fr.Progress(layer / study.model.depth, "Fitting …")
        away_NE = studies.differences(study.model, study.pairs, layer)
        found.append(reward.unseen(away_NE, [better.prompt for better, __ in study.pairs]))
    return found


@fr.part("DPO: straight from the pairs")
def dpo(
    judge: Chosen,
    beta: float = fr.pick("β", BETAS["dpo"], 0.1, "{:g}".format, few=True),
    steps: int = fr.slider("Steps", 5, 80, 40, 5),
    *,
    begin: bool = fr.start("Tune", ("beta", "steps")),
    again: int = fr.again("Go on"),
) -> fr.Blocks:
    yield (
        "DPO needs no reward model. The tuned model itself is one, $r = \\beta \\log"
        " \\frac{\\pi(y|x)}{\\pi_{ref}(y|x)}$, and the loss of a pair is put straight on it: make the better reply of a"
        " pair likelier, the worse one less likely, both compared with the old model. A small β lets it go far."
    )
    yield fr.Formula(
        r"-\log\sigma\left(\beta \log\tfrac{\pi(y_w|x)}{\pi_{ref}(y_w|x)} -"
        r" \beta \log\tfrac{\pi(y_l|x)}{\pi_{ref}(y_l|x)}\right)"
    )
    study = judge.study
    _needed(study)
    yield fr.Note(
        _(
            "What is tuned are the biases and norms of a run of the model Transformer with at most {most:,} numbers.",
            most=studies.MOST,
        )
    )
    if judge.after is not None:
        yield from one_pair(study, judge, beta)
    yield from at_work(study, Settings("dpo", beta, steps), begin, again)


def one_pair(study: Study, judge: Chosen, beta: float) -> fr.Blocks:
    """The formula with the numbers of the first pair, of the tuning that is chosen above."""
    better, worse = study.pairs[0]
    assert judge.after is not None
    new_2, old_2 = (pair_logs(one, (better, worse)) for one in (judge.after, study.model))
    gap = beta * float((new_2[0] - old_2[0]) - (new_2[1] - old_2[1]))
    loss, p = reward.compare(gap, 0)
    rows = [
        (
            which,
            f"{one.prompt}{one.text}",
            float(old_2[n]),
            float(new_2[n]),
            float(new_2[n] - old_2[n]),
        )
        for n, (which, one) in enumerate((("better reply", better), ("worse reply", worse)))
    ]
    yield fr.table(("", "reply", "log π_ref", "log π", "difference"), rows, folds=True)
    yield fr.Note(
        _(
            "One pair, under {how}: β times the difference of the differences is {gap}, so that the loss is"
            " {loss:.3f}, and the better one wins with {p:.0%}.",
            how=_(judge.tuned),
            gap=f"{gap:.2f}".replace("-", "−"),
            loss=loss,
            p=p,
        )
    )


def pair_logs(model: Transformer, pair: tuple[replies.Reply, replies.Reply]) -> np.ndarray:
    ids_BT, own_BT = replies.batch(model, pair)
    found: np.ndarray = tuning.reply_logs(model.net, ids_BT, own_BT).detach().numpy()
    return found


@fr.part("PPO: write, judge, step")
def ppo(
    judge: Chosen,
    beta: float = fr.pick("β", BETAS["ppo"], 1.0, "{:g}".format, few=True),
    steps: int = fr.slider("Steps", 5, 40, 20, 5),
    clip: float = fr.pick("Clip ε", (0.1, 0.2, 0.4), 0.2, few=True),
    *,
    begin: bool = fr.start("Tune", ("beta", "steps", "clip")),
    again: int = fr.again("Go on"),
) -> fr.Blocks:
    yield (
        "The model writes replies of its own, the reward model judges them, and tokens of replies that were better than"
        " the mean of their group become likelier. From each reward β times $\\log \\pi/\\pi_{ref}$ is taken off, which"
        " keeps the model near the old one. A token whose probability has moved by more than the share ε since it was"
        " written is pushed no further: the curve is flat there."
    )
    yield fr.Formula(
        r"-\operatorname{mean}\ \min\left(q A,\ \operatorname{clip}(q, 1 - \varepsilon, 1 + \varepsilon)\, A\right)"
    )
    yield fr.Equations(
        (
            ("q", r"\frac{\pi}{\pi_{old}}"),
            ("A", r"(R - \overline{R}) / \operatorname{std}(R)"),
            ("R", r"r - \beta \log\frac{\pi}{\pi_{ref}}"),
        )
    )
    ratio = np.linspace(0.4, 1.8, 57)
    yield fr.curves(
        "clipped",
        "What is made large, for one token",
        {
            _("A = {gain}", gain=gain): (ratio, [clipped(q, gain, clip) for q in ratio])
            for gain in (1, -1)
        },
        "ratio q of its probability, now over when it was written",
        "min(q A, clip(q) A)",
        tight=True,
    )
    study = judge.study
    _needed(study)
    yield fr.Note(
        _(
            "What is tuned are the biases and norms of a run of the model Transformer with at most {most:,} numbers. It"
            " writes replies to the same {n} beginnings, whatever is typed above.",
            most=studies.MOST,
            n=len(studies.PROMPTS),
        )
    )
    yield from at_work(study, Settings("ppo", beta, steps, clip=clip), begin, again)


def clipped(q: float, gain: float, clip: float) -> float:
    return min(q * gain, min(max(q, 1 - clip), 1 + clip) * gain)


def at_work(study: Study, settings: Settings, begin: bool, again: int) -> fr.Blocks:
    """What a tuning with these settings came to; how far it is; or the button that begins it."""
    folder = tuned.place(study, settings)
    if (rows := tuned.find_shipped(study, settings)) is None:
        now = tuned.find(folder)
        if (begin and not now.state) or again > tuned.resumed(folder):
            tuned.begin(study, settings, again)
            now = tuned.find(folder)
        if now.alive:
            yield fr.Awaited("Tuning", lambda: tuned.share(folder), lambda: tuned.stop(folder))
        elif not now.state:
            yield fr.Line(
                [fr.Controls(["begin"]), fr.Note("A few minutes; you may go on reading.")]
            )
        elif now.done:
            yield fr.Note(
                "It is one of the tuned models above, and can be compared with every key."
            )
        else:
            said = "It was stopped, and goes on from the last fifth step."
            yield now.error or said
            yield fr.Controls(["again"])
        rows = tuned.rows(folder)
    if rows:
        yield from measured(rows)


def measured(rows: tuned.Measured) -> fr.Blocks:
    last = rows[-1]
    steps = [row["step"] for row in rows]
    yield fr.Beside(
        [
            [
                fr.curves(
                    "worth",
                    "Reward on the way",
                    {
                        WORTH[name]: (steps, [row[name] for row in rows])
                        for name in ("reward", "rule")
                        if name in last
                    },
                    "step",
                    "reward and score of a reply",
                    "Replies to four beginnings that it was not tuned on",
                )
            ],
            [
                fr.curves(
                    "away",
                    "How far it went",
                    {WORTH["kl"]: (steps, [row["kl"] for row in rows])},
                    "step",
                    "nats a reply",
                    "KL of the tuned model to the old one, over all words",
                )
            ],
        ]
    )
    names = [name for name in HEADS if name in last]
    yield fr.table(
        ("step", *(HEADS[name] for name in names)),
        [(row["step"], *(float(row[name]) for name in names)) for row in rows],
        tall=220,
        folds=True,
    )
    yield fr.Note(_("What it writes after {step:,} steps:", step=last["step"]))
    yield "\n".join(f"* {escaped(line)}" for line in str(last["sample"]).splitlines() if line)


@fr.part("Too much of a good reward")
def too_much() -> fr.Blocks:
    runs = {
        row["settings"]["beta"]: row["rows"] for row in tuned.shipped().values() if _is_ppo(row)
    }
    ends = {beta: rows[-1] for beta, rows in sorted(runs.items())}
    loose, tight = ends[0.0], ends[1.0]
    yield _(
        "What is paid for is what one gets. Below, twenty steps of PPO on the shipped run, with the reward fitted to"
        " “she” over “he” and four values of β. With β = 1 the replies stay sentences: the reward rises from"
        " {begun} to {tight:.1f}, at {near:.0f} nats from the old model. With β = 0 it rises to {loose:.1f}, at"
        " {far:.0f} nats; but of the words of a reply {share:.0%} have stood in it before, where it was {before:.0%}."
        " Reward and rule are both pleased, and nobody would choose these replies.",
        begun=f"{runs[0.0][0]['reward']:.1f}".replace("-", "−"),
        tight=tight["reward"],
        near=tight["kl"],
        loose=loose["reward"],
        far=loose["kl"],
        share=loose["repeated"],
        before=runs[0.0][0]["repeated"],
    )
    made = [
        fr.curves(
            name,
            TITLES[name],
            {
                _("β = {beta:g}", beta=beta): ([r["step"] for r in rows], [r[name] for r in rows])
                for beta, rows in sorted(runs.items())
            },
            "step",
            WORTH[name],
            "Replies to four beginnings that it was not tuned on",
        )
        for name in TITLES
    ]
    yield fr.Beside([made[:2], made[2:]])
    yield fr.table(
        ("β", *HEADS.values()),
        [(f"{beta:g}", *(float(row[name]) for name in HEADS)) for beta, row in ends.items()],
        folds=True,
    )
    yield fr.Note(_("What it writes after {step:,} steps:", step=loose["step"]))
    yield "\n".join(
        f"* β = {beta:g}: {escaped(str(row['sample']).splitlines()[2])}"
        for beta, row in ends.items()
    )
    rows = [
        (
            f"{row['settings']['beta']:g}",
            *(float(row["rows"][-1][n]) for n in ("reward", "kl", "repeated")),
        )
        for row in tuned.shipped().values()
        if row["settings"]["way"] == "dpo" and row["by"] == "words"
    ]
    yield "DPO has the same knob. After forty steps on the same pairs:"
    names = "β", *(HEADS[name] for name in ("reward", "kl", "repeated"))
    yield fr.table(names, sorted(rows, key=lambda row: float(row[0])), folds=True)


def _is_ppo(row: dict[str, Any]) -> bool:
    settings = row["settings"]
    return bool(settings["way"] == "ppo" and row["by"] == "words" and settings["steps"] == 20)


def _needed(study: Study) -> None:
    if study.problem:
        raise ValueError(study.problem)


PARTS = (written, fitted, dpo, ppo, too_much)
