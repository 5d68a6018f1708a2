"""Build: what the parts say of tunes that are not shipped, measured once.

    python -m engine.lessons.melody.build --data DIR [--out FILE]

What      bits     of each kind of token on the tunes kept back: the shipped net, and counts of up to 7 notes with
                   modified Kneser-Ney smoothing that learned the same text
          copied   the longest row of notes that a tune shares with one that was learned from, in any key: of tunes
                   kept back, and of as many that the net wrote at each temperature
          judged   share in key, full bars and repeats of the tunes kept back
          place    share of the variance of the place in the bar that a ridge regression from the state explains on
                   tunes that it was not fitted to; beside it the same from the last two tokens, and from the net
                   before training; and for each unit the correlation of its memory with the place
          key      share of notes at which a linear classifier names the right one of 12 scales, likewise
Shapes    N = tokens, U = units
Differs   Places and keys are asked of tunes kept back, each in all keys; half of the tunes fit, the others judge.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engine import ROOT
from engine.analysis import decode
from engine.lessons.melody import tune, writing
from engine.models.abilities import able
from engine.models.base import Model
from engine.models.recurrent import RecurrentModel
from engine.shipped.sources import tunes as source

SHIPPED = ROOT / "assets" / "melody.json"
HEATS = (0.5, 0.8, 1.0, 1.3)
WRITTEN, LONGEST, SEED = 104, 160, 0
NOTES = 96  # tokens behind the metre, of tunes that are judged beside each other
ORDERS = range(1, 8)
KINDS = ("all", "notes", "bar lines", "ends")
METRES = ("6/8", "4/4")
HEARD = 16  # tokens after which a key is asked for
RIDGE = 1.0


def kind_of(word: str) -> str:
    return {"|": "bar lines", "</s>": "ends"}.get(word, "notes")


def mean_bits(model: Model[Any], lines: Sequence[str]) -> dict[str, float]:
    """Per kind of token; metres count among all of them alone."""
    found: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for line in lines:
        trace = model.trace(line + "\n", fields=("probability",))
        p_TV = np.asarray(trace.field("probability").values, float)
        bits_T = -np.log2(p_TV[np.arange(len(trace.ids) - 1), trace.ids[1:]])
        for word, bits in zip(trace.tokens[1:], bits_T.tolist(), strict=True):
            found["all"].append(bits)
            if not word.startswith("M:"):
                found[kind_of(word)].append(bits)
    return {kind: float(np.mean(each)) for kind, each in found.items()}


def judged(words: Sequence[Sequence[str]]) -> dict[str, float]:
    ids: dict[str, int] = {}
    number = [[ids.setdefault(word, len(ids)) for word in one] for one in words]
    return {
        "in key": float(np.nanmean([tune.find_key(one)[1] for one in words])),
        "full bars": float(np.nanmean([tune.full(one) for one in words])),
        "repeats": float(np.nanmean([decode.repeated(one)[0] for one in number])),
    }


# --- what the state knows


def states(
    model: RecurrentModel[Any], lines: Sequence[str]
) -> list[tuple[np.ndarray, tuple[str, ...]]]:
    """Per line the memory and the output of every unit at each token (T, 2U), and the tokens."""
    found = []
    for line in lines:
        trace = model.trace(line, fields=("cell", "hidden"))
        both = [np.asarray(trace.field(name).values)[-1] for name in ("cell", "hidden")]
        found.append((np.concatenate(both, 1)[1:], trace.tokens[1:]))
    return found


def last_two(tokens: Sequence[str], ids: Mapping[str, int]) -> np.ndarray:
    found_TX = np.zeros((len(tokens), 2 * len(ids)))
    for t, word in enumerate(tokens):
        found_TX[t, ids.get(word, 0)] = 1
        if t:
            found_TX[t, len(ids) + ids.get(tokens[t - 1], 0)] = 1
    return found_TX


def explained(x_NX: np.ndarray, y_N: np.ndarray, fits_N: np.ndarray) -> float:
    """R² on the rows that it was not fitted to."""
    x_NX = np.hstack([x_NX, np.ones((len(x_NX), 1))])
    a_NX = x_NX[fits_N]
    w_X = np.linalg.solve(a_NX.T @ a_NX + RIDGE * np.eye(a_NX.shape[1]), a_NX.T @ y_N[fits_N])
    off_N = y_N[~fits_N] - x_NX[~fits_N] @ w_X
    return float(1 - off_N.var() / y_N[~fits_N].var())


def named(x_NX: np.ndarray, y_N: np.ndarray, fits_N: np.ndarray) -> float:
    from sklearn.linear_model import LogisticRegression

    scale_X = x_NX[fits_N].std(0) + 1e-6
    made = LogisticRegression(max_iter=2_000, C=0.1).fit(x_NX[fits_N] / scale_X, y_N[fits_N])
    return float((made.predict(x_NX[~fits_N] / scale_X) == y_N[~fits_N]).mean())


def probed(
    nets: Mapping[str, RecurrentModel[Any]], every: Sequence[tuple[str, source.Notes]]
) -> tuple[dict[str, Any], dict[str, Any]]:
    ids = {word: v for v, word in enumerate(nets["net"].tokenizer.vocab)}
    place: dict[str, Any] = {}
    for metre in METRES:
        lines = [source.line(m, notes) for m, notes in every if m == metre]
        x, y, fits = dict[str, list[Any]](), list[float](), list[bool]()
        for n, words in enumerate(line.split() for line in lines):
            at_T = tune.places(words)
            keeps_T = np.isfinite(at_T) & (at_T < eighths_of(metre))
            y += at_T[keeps_T].tolist()
            fits += [bool(n % 2)] * int(keeps_T.sum())
            x.setdefault("last two", []).append(last_two(words, ids)[keeps_T])
            for name, net in nets.items():
                x.setdefault(name, []).append(states(net, [" ".join(words)])[0][0][keeps_T])
        y_N, fits_N = np.array(y), np.array(fits)
        every_x = {name: np.concatenate(each) for name, each in x.items()}
        units = every_x["net"].shape[1] // 2
        r_U = [float(np.corrcoef(every_x["net"][:, u], y_N)[0, 1]) for u in range(units)]
        place[metre] = {
            "n": len(y),
            "explained": {name: explained(each, y_N, fits_N) for name, each in every_x.items()},
            "r": [round(r, 3) for r in r_U],
        }
    x, keys, fits = {}, [], []
    for n, (metre, notes) in enumerate(every):
        for by in range(-6, 6, 2):
            words = source.line(metre, notes, by, told=False).split()
            if len(words) <= 2 * HEARD:
                continue
            some = slice(HEARD, None, 4)
            tonic = tune.find_key(words)[0]
            keys += [tonic] * len(words[some])
            fits += [bool(n % 2)] * len(words[some])
            x.setdefault("last two", []).append(last_two(words, ids)[some])
            for name, net in nets.items():
                x.setdefault(name, []).append(states(net, [" ".join(words)])[0][0][some])
    y_N, fits_N = np.array(keys), np.array(fits)
    commonest = np.bincount(y_N[fits_N]).argmax()
    right = {name: named(np.concatenate(each), y_N, fits_N) for name, each in x.items()}
    right["commonest key"] = float((y_N[~fits_N] == commonest).mean())
    return place, {"n": len(y_N), "right": right}


def eighths_of(metre: str) -> float:
    top, below = metre.split("/")
    return 8 * int(top) / int(below)


# --- all of it


def main() -> None:
    from engine.lessons.melody.shown import SHIPPED as NET
    from engine.models.ngram import Config, Ngram
    from engine.runs.store import SHIPPED as RUNS
    from engine.runs.store import RunStore

    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    asked.add_argument("--data", type=Path, required=True)
    asked.add_argument("--out", type=Path, default=SHIPPED)
    args = asked.parse_args()
    files = source.SOURCE.found(args.data)
    text = source.learn(files)
    back = [line for line in source.unseen(files).splitlines() if line]
    store = RunStore(RUNS)
    model = able(store.load(store.find(NET)), RecurrentModel)
    found: dict[str, Any] = {
        "made by": "python -m engine.lessons.melody.build --data DIR",
        "learned": {
            "tunes": sum(1 for _ in source.tunes(files)) - len(back),
            "lines": text.count("\n"),
        },
        "kept back": {"tunes": len(back), "tokens": sum(len(line.split()) + 1 for line in back)},
        "bits": {"net": mean_bits(model, back)},
    }
    for order in ORDERS:
        config = Config(order=order, tokenizer="notes", vocabulary=256)
        *_, last = Ngram.fit(text, config, seed=0)
        found["bits"][str(order)] = mean_bits(able(last.model, Model), back)
        print(order, found["bits"][str(order)], flush=True)
    words = [line.split() for line in back]
    found["judged"] = judged([one[: 1 + NOTES] for one in words])
    print("copies", flush=True)
    known = tune.Known([line.split() for line in text.splitlines()])
    found["copied"] = {"kept back": [known.run(one) for one in words]}
    starts = ["M:6/8", "M:4/4"] * (WRITTEN // 2)
    for heat in HEATS:
        made = writing.write(model, starts, LONGEST, heat, SEED)
        found["copied"][f"{heat}"] = [known.run(one) for one in made.tunes]
    print("states", flush=True)
    every = [one for n, one in enumerate(source.tunes(files)) if not n % source.EVERY]
    found["place"], found["key"] = probed({"net": model, "untrained": untrained(model)}, every)
    args.out.write_text(json.dumps(found, indent=1) + "\n")
    print(json.dumps({k: v for k, v in found.items() if k not in ("place", "copied")}, indent=1))


def untrained(model: RecurrentModel[Any]) -> RecurrentModel[Any]:
    """The same net before training."""
    import torch

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(SEED)
        net = type(model).build(model.config, len(model.tokenizer.vocab))
    return type(model)(model.config, model.tokenizer, net)


if __name__ == "__main__":
    main()
