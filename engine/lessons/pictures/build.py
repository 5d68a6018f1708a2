"""Build: trains the nets of this lesson and measures them on what is held out.

    python -m engine.lessons.pictures.build [--measure] [NAME ...]

What      AdamW with a rate that rises and falls; with names, only these nets are trained and the others stay as they
          are shipped.  Every measurement is of the weights as they are shipped
Differs   Digits are moved by up to one cell, half of the time, as those that the convolutional net learns from.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from engine.lessons.convolution import images, networks
from engine.lessons.convolution.images import Images
from engine.lessons.pictures import motion, pairs, scenes, store
from engine.lessons.pictures.motion import FRAMES, MOTIONS
from engine.lessons.pictures.patches import PATCHES, Reader
from engine.lessons.pictures.scenes import SEEN, UNSEEN, Scene
from engine.storage.arrays import read_arrays, write_arrays
from engine.storage.files import write_bytes

STEPS = {"placed": 4000, "set": 4000, "film": 2000, "mean": 2000, "pairs": 3000, "bag": 3000}
BATCH = {"placed": 64, "set": 64, "film": 48, "mean": 48, "pairs": 128, "bag": 128}
RATE, DECAY, AGAIN = 3e-3, 0.05, 20  # AGAIN: drawings of a scene that are measured
NEAR = 1e-5  # between two cosines that differ by rounding alone
ROUND = 100  # pairs in sight at once where retrieval is measured


def digits(net: Reader, learn: Images, rng: np.random.Generator) -> Tensor:
    which = rng.integers(len(learn), size=BATCH["placed"])
    ink = learn.ink[which]
    for n in range(len(ink) // 2):
        ink[n] = images.moved(ink[n], *rng.integers(-1, 2, size=2).tolist())
    return functional.cross_entropy(
        net(torch.tensor(ink).float()), torch.tensor(learn.digit[which])
    )


def films(net: nn.Module, learn: Images, rng: np.random.Generator) -> Tensor:
    """The mean over all frames: after each, the net shall say what can be known by then."""
    which, kind = rng.integers(len(learn), size=BATCH["film"]), rng.integers(6, size=BATCH["film"])
    made = [
        motion.clip(learn.cells[n], MOTIONS[k], int(rng.integers(2**31)))
        for n, k in zip(which, kind, strict=True)
    ]
    logit_BTM = net(torch.tensor(np.array(made)).float())
    wanted = torch.tensor(kind)[:, None].expand(-1, FRAMES)
    return functional.cross_entropy(logit_BTM.flatten(0, 1), wanted.flatten())


KINDS = {
    kind: tuple(one for one in scenes.every() if one.kind == kind)
    for kind in ("place", "count", "relation")
}


def some(rng: np.random.Generator, count: int) -> list[Scene]:
    """Scenes of the three kinds, each caption once."""
    found: dict[str, Scene] = {}
    while len(found) < count:
        kind = KINDS[("place", "count", "relation", "relation")[rng.integers(4)]]
        one = kind[rng.integers(len(kind))]
        found[one.caption] = one
    return list(found.values())


def paired(net: pairs.Pairs, learn: Images, rng: np.random.Generator) -> Tensor:
    of = some(rng, BATCH["pairs"])
    made = np.array([scenes.draw(one, rng) for one in of])
    logit = net(made, [one.caption for one in of])
    right = torch.arange(len(of))
    return (functional.cross_entropy(logit, right) + functional.cross_entropy(logit.T, right)) / 2


LOSS: dict[str, Callable[[Any, Images, np.random.Generator], Tensor]] = {
    "placed": digits,
    "set": digits,
    "film": films,
    "mean": films,
    "pairs": paired,
    "bag": paired,
}


def train(name: str, steps: int = 0, seed: int = 0) -> nn.Module:
    """One of the nets, from weights by chance."""
    learn, _held = images.split()
    steps = steps or STEPS[name]
    rng = np.random.default_rng(seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        net = store.NETS[name]()
    free = [p for p in net.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW(free, RATE, weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, steps)
    for step in range(1, steps + 1):
        loss = LOSS[name](net, learn, rng)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(free, 1.0)
        optimiser.step()
        schedule.step()
        if step % 500 == 0:
            print(f"{name} {step}: {loss.item():.4f}", flush=True)
    return net


def of_digits(nets: dict[str, Any]) -> dict[str, Any]:
    """How many held-out digits are read right, with patches in their order and in another for each image."""
    _learn, held = images.split()
    rng = np.random.default_rng(0)
    order = torch.tensor(np.array([rng.permutation(PATCHES) for _ in range(len(held))]))
    found: dict[str, Any] = {"count": len(held)}
    for name in ("placed", "set"):
        found[name] = nets[name].correct(held.cells, held.digit)
        found[f"{name}_shuffled"] = nets[name].correct(held.cells, held.digit, order)
    without = Reader(placed=False)
    without.load_state_dict(nets["placed"].state_dict())
    found["taken"] = without.correct(held.cells, held.digit)
    net = networks.shipped().network(1, 1, "max")
    found["convolution"] = int(net.correct(held).sum())
    return found


def of_films(nets: dict[str, Any], each: int = 1) -> dict[str, Any]:
    """How many clips are told right after each frame: every held-out digit, or one of `each`, once in every motion."""
    _learn, held = images.split()
    held = Images(held.cells[::each], held.digit[::each])
    clips = np.array(
        [motion.clip(one, m, n) for n, one in enumerate(held.cells) for m in MOTIONS], np.float32
    )
    wanted = np.tile(np.arange(6), len(held))[:, None]
    found: dict[str, Any] = {"count": len(clips)}
    with torch.inference_mode():
        x = torch.tensor(clips)
        for name in ("film", "mean"):
            best_BT = torch.cat([nets[name](part).argmax(-1) for part in x.split(300)]).numpy()
            found[name] = (best_BT == wanted).sum(0).tolist()
            last_B = best_BT[:, -1]
            found[f"{name}_axis"] = int((last_B // 2 == wanted[:, 0] // 2).sum())
    return found


def chosen(
    net: pairs.Pairs, of: Sequence[tuple[Scene, Sequence[str]]], again: int
) -> tuple[float, int]:
    """(hits, cases): how often the first of some captions, the right one, is the nearest to a picture; half a hit
    where another is as near."""
    rng, hits, cases = np.random.default_rng(1), 0.0, 0
    for scene, captions in of:
        made = np.array([scenes.draw(scene, rng) for _ in range(again)])
        cosine = net.cosines(made, captions)
        lead = cosine[:, 0] - cosine[:, 1:].max(1)
        hits += float((lead > NEAR).sum() + (abs(lead) <= NEAR).sum() / 2)
        cases += again
    return hits, cases


def of_pairs(net: pairs.Pairs, again: int = AGAIN) -> dict[str, Any]:
    """Retrieval among ROUND pairs both ways, and choices in which one thing alone differs."""
    rng, back, on, rounds = np.random.default_rng(again), 0, 0, again
    for _ in range(rounds):
        of = some(rng, ROUND)
        cosine = net.cosines(
            np.array([scenes.draw(one, rng) for one in of]), [one.caption for one in of]
        )
        right = np.arange(ROUND)
        on += int((cosine.argmax(1) == right).sum())
        back += int((cosine.argmax(0) == right).sum())
    found: dict[str, Any] = {"captions": [on, rounds * ROUND], "pictures": [back, rounds * ROUND]}
    for name, things in (("seen", SEEN), ("unseen", UNSEEN)):
        found[name] = chosen(
            net,
            [
                (Scene("place", a, how), [Scene("place", b, how).caption for b in first(a)])
                for a in things
                for how in scenes.PLACES
            ],
            again,
        )
    found["place"] = chosen(net, [(s, others(s, scenes.PLACES)) for s in KINDS["place"]], again)
    found["count"] = chosen(net, [(s, others(s, scenes.COUNTS)) for s in KINDS["count"]], again)
    swapped = [Scene(s.kind, s.other, s.how, s.thing) for s in KINDS["relation"]]
    found["order"] = chosen(
        net,
        [(s, [s.caption, t.caption]) for s, t in zip(KINDS["relation"], swapped, strict=True)],
        again,
    )
    return found


def first(thing: str) -> list[str]:
    """All things, this one the first."""
    return [thing, *(other for other in scenes.THINGS if other != thing)]


def others(scene: Scene, ways: Iterable[str]) -> list[str]:
    """The captions that differ from it in how, its own the first."""
    hows = [scene.how, *(how for how in ways if how != scene.how)]
    return [Scene(scene.kind, scene.thing, how).caption for how in hows]


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    asked.add_argument("names", nargs="*", metavar="NAME", help=", ".join(STEPS))
    asked.add_argument("--measure", action="store_true", help="train nothing")
    given = asked.parse_args()
    names = [] if given.measure else given.names or list(STEPS)
    kept = dict(read_arrays(store.ARRAYS)) if store.ARRAYS.is_file() else {}
    for name in names:
        kept |= store.arrays({name: train(name)})
        write_arrays(store.ARRAYS, kept)
    nets = store.opened(kept)
    found = {"digits": of_digits(nets), "films": of_films(nets)}
    found |= {name: of_pairs(nets[name]) for name in ("pairs", "bag")}
    write_bytes(store.RESULTS, (json.dumps(found, indent=1) + "\n").encode())
    print(json.dumps(found))


if __name__ == "__main__":
    main()
