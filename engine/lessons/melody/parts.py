"""The parts of the lesson on melodies: temperature, what the units know, counts beside the net, copies, a game."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from engine import frame as fr
from engine.language.message import _
from engine.lessons.melody import build, opponent, tune, writing
from engine.models.recurrent import RecurrentModel

TUNES = 32  # that are written at each temperature
HEATS = (0.3, 0.5, 0.7, 0.8, 0.9, 1.0, 1.15, 1.3, 1.6)
STRONG = 5  # units that are named
ROUNDS = 300
WHO = {"you": "you yourself"} | {name: name for name in opponent.PLAYERS}


@cache
def measured() -> Any:
    return json.loads(build.SHIPPED.read_text())


def reader(models: Mapping[str, Any]) -> RecurrentModel[Any]:
    found = models["melody"]
    if not isinstance(found, RecurrentModel) or found.tokenizer.id != "notes":
        raise ValueError("This page needs a recurrent net that reads notes.")
    return found


# --- temperature


@fr.once
def at_heat(model: RecurrentModel[Any], heat: float, metre: str, seed: int) -> tuple[float, Any]:
    made = writing.write(model, [f"M:{metre}"] * TUNES, build.NOTES, heat, seed)
    return made.entropy, build.judged(made.tunes)


@fr.part("Temperature")
def temperature(
    models: Mapping[str, Any],
    metre: str = fr.pick("Metre", build.METRES, "6/8", few=True),
    seed: int = fr.number("Seed", 0, 999, 1),
) -> fr.Blocks:
    model, real = reader(models), measured()["judged"]
    cost = measured()["bits"]["net"]["all"]
    yield _(
        "Before a note is drawn its logits are divided by the temperature. At each of {heats} temperatures the net"
        " writes {tunes} tunes of at most {notes} tokens, here and now.",
        heats=len(HEATS),
        tunes=TUNES,
        notes=build.NOTES,
    )
    found = []
    for n, heat in enumerate(HEATS):
        yield fr.Progress(n / len(HEATS), "Writing tunes")
        found.append(at_heat(model, heat, metre, seed))
    lines = {
        "notes in the key": "in key",
        "full bars": "full bars",
        "4-grams said before": "repeats",
    }
    yield fr.curves(
        "heats",
        "What temperature does to a tune",
        {name: (HEATS, [100 * of[id] for _bits, of in found]) for name, id in lines.items()},
        "temperature",
        "per cent",
    )
    heads = (
        "temperature",
        "bits per token",
        "in the key",
        "full bars",
        "4-grams said before",
    )
    rows = [
        (f"{heat:g}", bits, of["in key"], of["full bars"], of["repeats"])
        for heat, (bits, of) in zip(HEATS, found, strict=True)
    ]
    rows.append(("real tunes", cost, real["in key"], real["full bars"], real["repeats"]))
    forms = dict.fromkeys(heads[2:], fr.SHARE) | {heads[1]: "%.2f"}
    yield fr.table(heads, rows, forms=forms)
    near = min(found, key=lambda one: abs(one[1]["repeats"] - real["repeats"]))
    yield _(
        "Bits are those of a draw; of real tunes, which were kept back, what they cost the net. The key is the major"
        " scale that holds most of the time: seven notes of twelve, so that even chance has more than 58 %. Cold tunes"
        " say the same again and again; hot ones leave key and bar. Real tunes repeat {share:.0%} of their 4-grams, for"
        " they come back to their first bars; at temperature {heat:g} the net comes nearest, with {own:.0%}. It seldom"
        " comes back to what it wrote before.",
        share=real["repeats"],
        heat=HEATS[found.index(near)],
        own=near[1]["repeats"],
    )


# --- units


@fr.part("What the units know")
def units(
    models: Mapping[str, Any],
    above: str,
    metre: str = fr.pick("Metre", build.METRES, "6/8", few=True),
) -> fr.Blocks:
    model, known = reader(models), measured()
    place, key = known["place"][metre], known["key"]
    explained, right = place["explained"], key["right"]
    r_U = np.array(place["r"])
    best_U = np.argsort(-abs(r_U))[:STRONG]
    yield _(
        "Nothing tells the net where in the bar it is, nor which key it is in. Both can be read from its state, on real"
        " tunes that it never saw ({n:,} and {m:,} places).",
        n=place["n"],
        m=key["n"],
    )
    heads = ("read from", "place in the bar, explained", "key, named right")
    names = {
        "net": "state of the net",
        "untrained": "state of the same net, untrained",
        "last two": "last two tokens",
    }
    rows = [(name, explained[id], right[id]) for id, name in names.items()]
    rows.append(("nothing: the mean, the commonest key", 0.0, right["commonest key"]))
    yield fr.table(heads, rows, forms=dict.fromkeys(heads[1:], fr.SHARE))
    unit = int(best_U[0])
    yield _(
        "Unit {unit} is nearly a clock: its memory goes with the place in the bar with a correlation of {r:.2f}. The"
        " five strongest:",
        unit=unit,
        r=float(r_U[unit]),
    )
    yield fr.table(("unit", "correlation"), [(int(u), float(r_U[u])) for u in best_U], width=260)
    yield fr.Link("melody", _("Unit {unit} on the staff", unit=unit), {"unit": str(unit)})
    trace = model.trace(above, fields=("cell",))
    words = trace.tokens[1:]
    at_T = tune.places(words)
    if np.isfinite(at_T).sum() < 2:
        raise ValueError("Type a tune with bar lines above: its memory is drawn here, bar by bar.")
    cell_T = np.asarray(trace.field("cell").values)[-1, 1:, unit]
    t_T = np.arange(len(words))
    yield fr.curves(
        "clock",
        _("Unit {unit} through the tune above, and the place in the bar", unit=unit),
        {"memory": (t_T, cell_T), "place in the bar, share": (t_T, at_T / np.nanmax(at_T))},
        "token",
        "value",
    )


# --- counts


@fr.part("Beside an n-gram")
def counts(models: Mapping[str, Any]) -> fr.Blocks:
    reader(models)
    found = measured()
    bits, back = found["bits"], found["kept back"]
    orders = [*map(str, build.ORDERS)]
    best = min(orders, key=lambda order: bits[order]["all"])
    yield _(
        "Counts of up to seven notes, smoothed as on the page of n-grams, learned the same {lines:,} lines. Both are"
        " asked for {tokens:,} tokens of {tunes} tunes that were kept back.",
        lines=found["learned"]["lines"],
        tokens=back["tokens"],
        tunes=back["tunes"],
    )
    yield fr.curves(
        "orders",
        "Bits per token by the order of the n-gram",
        {
            "n-gram": ([*build.ORDERS], [bits[order]["all"] for order in orders]),
            "LSTM": ([*build.ORDERS], [bits["net"]["all"]] * len(orders)),
        },
        "order",
        "bits",
        whole=True,
    )
    heads = ("model", *build.KINDS)
    rows = [
        (name, *(bits[id][kind] for kind in build.KINDS))
        for name, id in ((_("n-gram, order {n}", n=best), best), ("LSTM", "net"))
    ]
    yield fr.table(heads, rows, forms=dict.fromkeys(heads[1:], "%.2f"))
    yield _(
        "The LSTM needs {less:.2f} bits less per token, and at a bar line {bar:.2f} in place of {counted:.2f}: to know"
        " that a bar is full one has to add up all its notes, and a window of {n} tokens often does not reach back to"
        " its beginning.",
        less=bits[best]["all"] - bits["net"]["all"],
        bar=bits["net"]["bar lines"],
        counted=bits[best]["bar lines"],
        n=int(best) - 1,
    )
    yield fr.Train({"tokenizer": "notes", "units": 160, "layers": 1, "passages": True})


# --- copies


@fr.part("Is it copied?")
def copied(models: Mapping[str, Any]) -> fr.Blocks:
    reader(models)
    found = measured()["copied"]
    yield (
        "The longest run of notes that a tune shares with any tune that was learned from, in whatever key: the same"
        " steps and the same lengths, one after another. Dance tunes borrow from each other, so real tunes that were"
        " kept back are asked, too."
    )
    heads = ("tunes", "median", "longest", "more than 24 notes")
    names = {"kept back": _("kept back")} | {
        f"{heat}": _("written, temperature {heat:g}", heat=heat) for heat in build.HEATS
    }
    rows = [
        (
            name,
            int(np.median(found[id])),
            max(found[id]),
            float(np.mean(np.array(found[id]) > 24)),
        )
        for id, name in names.items()
    ]
    yield fr.table(heads, rows, forms={heads[3]: fr.SHARE, heads[1]: fr.WHOLE, heads[2]: fr.WHOLE})
    yield _(
        "The net's longest run is {longest} notes, two bars or so: what it writes is not copied. Of the tunes kept back"
        " one in {one:.0f} has more than 24 notes in a row that were learned: the collection holds some tunes twice,"
        " which also makes the bits of both models a little smaller than they are on new tunes.",
        longest=max(max(found[f"{heat}"]) for heat in build.HEATS),
        one=1 / np.mean(np.array(found["kept back"]) > 24),
    )


# --- the game


def moves(given: fr.Others) -> list[tuple[tuple[str, ...], fr.Words]]:
    named = {"rock": "Rock", "paper": "Paper", "scissors": "Scissors"}
    return [*(((move,), named[move]) for move in opponent.MOVES), ((), "Take back")]


@fr.part("Rock, paper, scissors")
def game(
    memory: int = fr.pick("It remembers rounds", (0, 1, 2, 3), 1, few=True),
    player: str = fr.pick("Who plays", WHO, "you"),
    *,
    mine: tuple[str, ...] = fr.noted("Your move", moves),
) -> fr.Blocks:
    yield (
        "What follows what can be learned about a player, too. This opponent counts what you did after the last rounds,"
        " and plays what wins most against it. Try to be unpredictable."
    )
    if player == "you":
        yield fr.Controls(["mine"])
        made = opponent.replay([opponent.MOVES.index(move) for move in known(mine)], memory)
    else:
        made = opponent.play(opponent.PLAYERS[player], ROUNDS, memory)
    n, belief_3 = len(made.rounds), made.belief_N3[-1]
    if n:
        yours, own = made.rounds[-1]
        paid = opponent.PAYS_33[yours, own]
        yield _(
            "**{yours}** against **{own}**: {result}",
            yours=_(opponent.MOVES[yours]),
            own=_(opponent.MOVES[own]),
            result=_("you win." if paid > 0 else "it wins." if paid < 0 else "a draw."),
        )
    yield fr.bars(
        "belief",
        "What it takes the next move to be",
        belief_3,
        ("label", opponent.MOVES),
    )
    if not n:
        return
    score_N, round_N = made.score, np.arange(1, n + 1)
    yield fr.curves(
        "score",
        "Its score: rounds won less rounds lost",
        {
            "score": (round_N, score_N),
            "chance, two standard deviations": (round_N, 2 * np.sqrt(2 * round_N / 3)),
            "pure chance": (round_N, 0.0 * round_N),
        },
        "round",
        "score",
        whole=True,
    )
    yield _(
        "After {n:,} {n|round|rounds} it is **{score:+d}**, and was right about {right:,} {right|move|moves}."
        " Against whoever draws by chance the expected score is 0, whatever it remembers, and two standard"
        " deviations are {two:.1f}. Any pattern can be learned with enough memory; with none it only counts, and"
        " whoever plays in turn beats it.",
        n=n,
        score=int(score_N[-1]),
        right=made.right,
        two=float(2 * np.sqrt(2 * n / 3)),
    )


def known(clicks: tuple[str, ...]) -> list[str]:
    return [move for move in clicks if move in opponent.MOVES]


PARTS = (temperature, units, counts, copied, game)
