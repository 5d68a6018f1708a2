"""Melody: notes and how they are written, tunes from ABC, what is true of a tune, the live numbers, tunes that are
drawn, MIDI, and the opponent; by hand, by brute force and by torch."""

from __future__ import annotations

import itertools
import json
import struct
import subprocess
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from engine.lessons.melody import LESSON, build, live, opponent, parts, shown, tune, writing
from engine.runs.store import SHIPPED, RunStore
from engine.shipped.sources import tunes as source
from engine.text import notes
from engine.text.tokenizers.notes import Notes
from tests.conftest import ROOT
from tests.test_javascript import NODE, needs_node

DATA = ROOT.parent / "shared" / "data"
STAFF = ROOT / "assets" / "live" / "panels" / "staff"
ABC = """X:1
T:Two parts
M:6/8
L:1/8
K:D
|:"D"f>e ^gg2a|(3fga [DFA]2 c/d//:|
|1 f6:|2 =c3 ~d3||
K:Gm
{a}B,2 z b' e'|"""


@pytest.fixture(scope="module")
def model() -> Any:
    store = RunStore(SHIPPED)
    return store.load(store.find(shown.SHIPPED))


@pytest.mark.parametrize(
    ("word", "pitch", "eighths"),
    [
        ("C", 60, 1),
        ("c", 72, 1),
        ("^f2", 78, 2),
        ("_B,3/2", 58, Fraction(3, 2)),
        ("e''/", 100, Fraction(1, 2)),
        ("z4", None, 4),
        ("=c//", 72, Fraction(1, 4)),
    ],
)
def test_notes_are_read(word: str, pitch: int | None, eighths: Fraction) -> None:
    assert notes.read(word) == (pitch, eighths)


def test_every_pitch_is_written_as_it_is_read() -> None:
    lengths = [Fraction(1), Fraction(3, 2), Fraction(1, 2), Fraction(2, 3), Fraction(8)]
    for pitch, eighths in itertools.product(range(36, 100), lengths):
        assert notes.read(notes.write(pitch, eighths)) == (pitch, eighths)
    assert [notes.plain(word) for word in ("^A2", "c1", "=c", "e2/", "|", "h")] == [
        "_B2", "c", "c", "e", "|", "h",
    ]  # fmt: skip
    assert notes.read("h") is None and notes.read("") is None and notes.read("c0") == (72, 1)


def test_a_tokenizer_of_notes_needs_no_blanks() -> None:
    made = Notes.fit(["C D E _B2 |", "M:6/8 c"], 50)
    tight, wide = made.encode("CD^A2|M:6/8c"), made.encode("C D _B2 | M:6/8 c")
    assert tight.ids.tolist() == wide.ids.tolist() and not tight.unknown
    assert tight.labels == ("C", "D", "^A2", "|", "M:6/8", "c")
    assert [made.encode("CxhE").labels[i] for i in made.encode("CxhE").unknown] == ["x", "h"]
    assert made.encode(made.decode(wide.ids)).ids.tolist() == wide.ids.tolist()
    assert [*made.stream(["C D", "E"])] == [2, *made.ids(["C D"])[0], 2, *made.ids(["E"])[0], 2]


def test_a_tune_in_abc() -> None:
    metre, found = source.read(ABC)
    assert metre == "6/8"
    assert source.line(metre, found) == ""  # its last notes are higher than any that the net knows
    assert source.line(metre, found[:8], -12, told=False) == "^F3/2 E/2 ^G ^G2 A | ^F2/3 G2/3"
    words = [n and notes.write(*n) for n in found]
    assert words[:6] == ["^f3/2", "e/2", "^g", "^g2", "a", None]
    assert words[6:13] == ["^f2/3", "g2/3", "a2/3", "A2", "^c/2", "d/4", None]
    assert words[13:] == ["c3", "d3", None, "_B,2", "z", "_b'", "_e'"]
    assert source.raised("F#m") == dict.fromkeys("FCG", 1)
    assert source.raised("Edor") == dict.fromkeys("FC", 1)
    assert source.raised("Bb") == dict.fromkeys("BE", -1) and source.raised("C") == {}


@pytest.mark.slow
@pytest.mark.skipif(not (DATA / "tunes.tar.xz").is_file(), reason="../shared/data is not there")
def test_tunes_kept_back_are_not_learned() -> None:
    files = source.SOURCE.found(DATA)
    learned, back = source.learn(files).splitlines(), source.unseen(files).splitlines()
    assert (len(learned), len(back)) == (parts.measured()["learned"]["lines"], 104)
    assert not {tune.steps(line.split()) for line in learned} & {
        tune.steps(line.split()) for line in back if len(line.split()) > 60
    }
    assert sum(len(line.split()) + 1 for line in back) == parts.measured()["kept back"]["tokens"]


def test_what_is_true_of_a_tune() -> None:
    words = "M:3/4 C2 | D2 E2 ^F2 | G4 | A2 B2 c2 |".split()
    assert tune.find_key(words) == (7, 1.0)
    assert tune.find_key("C ^C D _E".split())[1] == 0.75
    assert np.isnan(tune.find_key(["|"])[1])
    assert tune.bars(words) == [6, 4, 6] and tune.full(words) == pytest.approx(2 / 3)
    assert tune.places(words)[3:8].tolist() == [2, 4, 6, 0, 4] and np.isnan(tune.places(words)[0])


def test_the_longest_row_by_brute_force() -> None:
    rng = np.random.default_rng(0)
    drawn = [rng.integers((60, 1), (63, 3), (40, 2)).tolist() for _ in range(4)]
    tunes = [[notes.write(pitch, Fraction(n)) for pitch, n in one] for one in drawn]
    known = tune.Known(tunes[1:])
    own, others = tune.steps(tunes[0]), [tune.steps(one) for one in tunes[1:]]
    rows = [
        n
        for n in range(1, len(own) + 1)
        for i in range(len(own) - n + 1)
        if any(own[i : i + n] == o[j : j + n] for o in others for j in range(len(o) - n + 1))
    ]
    assert known.run(tunes[0]) == max(rows) + 1
    moved = [notes.write(pitch + 5, eighths) for pitch, eighths in tune.sounding(tunes[2])]
    assert known.run(moved) == len(moved)  # in another key it is the same row


def test_live_numbers(model: Any) -> None:
    trace = model.trace("M:6/8 ^f2 z G, | h")
    found = live.derive(model, trace, {})
    assert found["pitch"][1].tolist() == [0, 0, 78, 0, 55, 0, 0]
    by_hand = [
        -np.log2(trace.field("probability").values[t, id]) for t, id in enumerate(trace.ids[1:])
    ]
    assert found["cost"][1][1:] == pytest.approx(by_hand, rel=1e-5)
    assert found["step"][1][[2, 3, 4]].tolist() == [10, 6, -3]
    assert found["sign"][1][2] == 1 and found["eighths"][1][2] == 2
    p_TV, high_TP = trace.field("probability").values, found["expected"][1]
    by_hand = sum(
        p_TV[4, v]
        for v, word in enumerate(model.tokenizer.vocab)
        if word.rstrip("0123456789/") == "G"
    )
    assert high_TP[4, 67 - live.LOWEST] == pytest.approx(by_hand, rel=1e-5)
    assert live.options(model)["keys"][0] == ("C", 60)


def test_tunes_are_drawn_by_the_net(model: Any) -> None:
    """Cold, it takes what the trace says is likeliest; a seed gives the same again; entropy as of the rows."""
    (cold,) = writing.write(model, [LESSON.example], 12, 1e-3, 0).tunes
    words = [*model.tokenizer.encode(LESSON.example).labels]
    assert list(cold[: len(words)]) == words
    for word in cold[len(words) :]:
        p_V = model.trace(" ".join(words)).field("probability").values[-1]
        assert word == model.tokenizer.vocab[int(p_V.argmax())]
        words.append(word)
    once, again, other = (writing.write(model, ["M:6/8"] * 4, 20, 1.0, s) for s in (1, 1, 2))
    assert once.tunes == again.tunes != other.tunes
    p_V = torch.from_numpy(model.trace("M:6/8").field("probability").values[-1].astype(float))
    p_V[[0, 1]] = 0
    p_V = (p_V**0.5) / (p_V**0.5).sum()
    bits = -float((p_V * p_V.log2()).nan_to_num().sum())
    assert writing.write(model, ["M:6/8"], 1, 2.0, 0).entropy == pytest.approx(bits, rel=1e-4)


@pytest.mark.slow
@pytest.mark.skipif(not (DATA / "tunes.tar.xz").is_file(), reason="../shared/data is not there")
def test_bits_are_those_of_the_net(model: Any) -> None:
    back = source.unseen(source.SOURCE.found(DATA)).splitlines()
    found = build.mean_bits(model, back)
    assert found == pytest.approx(parts.measured()["bits"]["net"], rel=1e-3)


def test_measured_numbers_are_whole(model: Any) -> None:
    found = json.loads(build.SHIPPED.read_text())
    assert [*found["copied"]] == ["kept back", *map(str, build.HEATS)]
    assert all(len(each) == 104 for each in found["copied"].values())
    assert all(len(found["place"][m]["r"]) == model.config.units for m in build.METRES)
    assert set(found["bits"]) == {"net", *map(str, build.ORDERS)}


@needs_node
def test_midi(tmp_path: Path) -> None:
    """As the standard has it: header, one track, variable lengths, a note on and off for each note."""
    script = tmp_path / "midi.mjs"
    tones = "[{pitch: 60, eighths: 2}, {pitch: 0, rest: true, eighths: 300}, {pitch: 67, eighths: 2 / 3}]"
    script.write_text(
        f"import {{ midi }} from '{STAFF / 'sound.js'}';\n"
        f"process.stdout.write(Buffer.from(midi({tones}, 120)).toString('hex'));"
    )
    run = subprocess.run([str(NODE), str(script)], capture_output=True, text=True, check=True)
    data = bytes.fromhex(run.stdout)
    kind, size, form, tracks, ticks = struct.unpack(">4sIHHH", data[:14])
    assert (kind, size, form, tracks, ticks) == (b"MThd", 6, 0, 1, 480)
    kind, size = struct.unpack(">4sI", data[14:22])
    assert kind == b"MTrk" and len(data) == 22 + size
    events, at = [], 22
    while at < len(data):
        wait = 0
        while True:
            byte, at = data[at], at + 1
            wait = wait << 7 | byte & 127
            if byte < 128:
                break
        long = 2 if data[at] == 0xFF else 0
        count = data[at + 2] if long else 2
        events.append((wait, data[at : at + 1 + long + count]))
        at += 1 + long + count
    assert events == [
        (0, b"\xff\x51\x03" + (500_000).to_bytes(3, "big")),
        (0, bytes([0x90, 60, 80])),
        (480, bytes([0x80, 60, 0])),
        (72_000, bytes([0x90, 67, 80])),
        (160, bytes([0x80, 67, 0])),
        (0, b"\xff\x2f\x00"),
    ]


def test_opponent_by_hand() -> None:
    one = opponent.Opponent(1)
    assert one.belief().tolist() == [1 / 3] * 3
    one.learn(0, 1)
    one.learn(0, 1)  # after (0, 1) came 0
    first_3 = (np.array([2, 0, 0]) + np.full(3, 1 / 3)) / 3
    assert one.belief() == pytest.approx((np.array([1, 0, 0]) + first_3) / 2)
    assert one.choose() == 1  # paper beats rock
    beats = {(0, 2), (1, 0), (2, 1)}
    for own, yours in itertools.product(range(3), repeat=2):
        won = ((own, yours) in beats) - ((yours, own) in beats)
        assert opponent.PAYS_33[own, yours] == won


def test_what_the_game_says_is_true() -> None:
    """By chance nothing is won on average, whatever is remembered; a turn is learned by one round, and beats counts."""
    for memory in (0, 2):
        ends = [opponent.play(opponent.drawn, 60, memory, s).score[-1] for s in range(200)]
        assert abs(np.mean(ends)) < 3 * np.sqrt(2 * 60 / 3 / 200)
        assert np.std(ends) == pytest.approx(np.sqrt(2 * 60 / 3), rel=0.2)
    turn = opponent.PLAYERS["in turn"]
    assert opponent.play(turn, 300, 1).score[-1] > 270 > 0 > opponent.play(turn, 300, 0).score[-1]
    moves = [0, 1, 2, 0, 1, 2, 0]
    early, late = opponent.replay(moves[:4], 1), opponent.replay(moves, 1)
    assert early.rounds == late.rounds[:4]  # it never sees a move before it plays
    assert parts.known(("rock", "lizard")) == ["rock"]
