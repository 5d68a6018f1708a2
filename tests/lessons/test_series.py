"""Series of numbers: what is read, what each method expects, fans, and the nets against sums by hand."""

from __future__ import annotations

import json
from itertools import product

import numpy as np
import pytest
import torch

from engine.frame.blocks import Problem, Rows, blocks_in
from engine.lessons import series
from engine.lessons.series import (
    alarm,
    build,
    classic,
    families,
    gaps,
    judge,
    live,
    nets,
    parts,
    sound,
    typed,
    window,
)
from engine.lessons.series.nets import CONTEXT, HORIZON, MIDDLE
from engine.live.stage import Opening

AIR = typed.read(series.AIR).values


# ---------------------------------------------------------------- what is read


def test_numbers_as_people_write_them() -> None:
    of = typed.read("1, 2,3,4 3,5 ; ? foo 1e3 1.234,5 −4 5% 😀")
    assert of.values.tolist() == [1, 2, 3, 4, 3.5, 501.75, 1000, 1234.5, -4, 5]
    assert np.flatnonzero(of.missing).tolist() == [5]
    assert [*of.unknown] == [(17, 20), (39, 40)]
    text = "1, 2,3,4 3,5 ; ? foo 1e3"
    assert [text[a:b] for a, b in typed.read(text).spans] == "1 2 3 4 3,5 ? 1e3".split()
    assert not len(typed.read("? NA nothing").values)
    assert len(typed.read("7 " * 5_000).values) == typed.MOST
    assert typed.read(typed.write([1.25, -0.001234, 123456.0])).values == pytest.approx(
        [1.25, -0.001234, 123456]
    )


TABLES = {
    "iso": "day,value\n2024-01-03,3\n2024-01-01,1\n2024-01-02,2\n"
    + "".join(f"2024-01-{d:02},{d}\n" for d in range(4, 11)),
    "german": "Tag;Wert\n03.01.2024;3,0\n01.01.2024;1,0\n02.01.2024;2,0\n"
    + "".join(f"{d:02}.01.2024;{d},0\n" for d in range(4, 11)),
    "gap": "day\tvalue\n"
    + "".join(f"2024-01-{d:02}\t{d}\n" for d in range(1, 11) if d not in (4, 7)),
    "empty": "day,value\n"
    + "".join(f"01/{d:02}/2024,{'' if d == 5 else d}\n" for d in range(1, 11)),
    "alone": "\n".join(map(str, range(1, 11))),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_put_in_order_and_its_gaps_are_filled(name: str) -> None:
    table = typed.table(TABLES[name].encode())
    (column,) = table.columns
    values, notes = table.series(column)
    assert values == pytest.approx(range(1, 11))
    missing = {"gap": "2 missing", "empty": "1 missing"}.get(name, "")
    assert missing in " ".join(map(str, notes))
    assert (table.dates is None) == (name == "alone")


@pytest.mark.parametrize("bad", ["", "a,b\nc,d\ne,f", "1\n2", "x" * 5_000, "\x00\x01\x02"])
def test_a_bad_table_is_one_sentence(bad: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        table = typed.table(bad.encode())
        table.series(next(iter(table.columns)))


# ---------------------------------------------------------------- without a net


def test_ar_finds_the_rule() -> None:
    found = classic.autoregressive(typed.read(series.RULE).values, 2, 3)
    assert [found.weights[k] for k in ("c", "a1", "a2")] == pytest.approx([0, 0.6, 0.3], abs=1e-9)
    x = [0.5436, 0.49896]
    for h in range(3):
        x.append(0.6 * x[-1] + 0.3 * x[-2])
        assert found.middle_H[h] == pytest.approx(x[-1])
    assert np.ptp(found.quantile_QH, axis=0).max() < 1e-6


def test_ar_spreads_as_simulation_does() -> None:
    rng = np.random.default_rng(0)
    x = families.autoregressive(rng, 4_000, (0.7, -0.4))
    found = classic.autoregressive(x, 2)
    last = np.tile(x[-2:], (20_000, 1))
    for h in range(4):
        drawn = 0.7 * last[:, -1] - 0.4 * last[:, -2] + rng.normal(size=20_000)
        last = np.column_stack((last[:, 1:], drawn))
        low, high = found.quantile_QH[1, h], found.quantile_QH[5, h]
        assert ((drawn > low) & (drawn < high)).mean() == pytest.approx(0.8, abs=0.02)


def plain_smoothing(
    x: np.ndarray, a: float, b: float, g: float, m: int
) -> tuple[float, np.ndarray]:
    """Squared errors and forecasts, number by number, as the formula is written in the docstring."""
    level_1, trend_1, around = (part[..., 0] for part in classic._begin(x, m, 1))
    level, trend, s, error = (
        float(level_1),
        float(trend_1),
        {k: float(v) for k, v in enumerate(around)},
        0.0,
    )
    for t in range(m, len(x)):
        error += (x[t] - level - trend - s[t % m]) ** 2
        old = level
        level = a * (x[t] - s[t % m]) + (1 - a) * (level + trend)
        trend = b * (level - old) + (1 - b) * trend
        s[t % m] = g * (x[t] - level) + (1 - g) * s[t % m]
    n = len(x)
    return error, np.array([level + h * trend + s[(n - 1 + h) % m] for h in range(1, HORIZON + 1)])


@pytest.mark.parametrize("m", [1, 12])
def test_smoothing_is_the_best_of_its_grid(m: int) -> None:
    x = AIR[:60]
    every = {}
    for a, b, g in product(*(sorted({one[k] for one in classic.GRID}) for k in range(3))):
        if m == 1 and g:
            continue
        error, ahead = plain_smoothing(x, a, b, g, m)
        every[a, b, g] = len(x) * np.log(error) + 2 * ((b > 0) + (g > 0)), ahead
    best = min(every, key=lambda one: every[one][0])
    found = classic.smoothing(x, m)
    assert (
        found.weights["level"],
        found.weights["trend"],
        found.weights.get("around", 0.0),
    ) == best
    assert found.middle_H == pytest.approx(every[best][1])


def test_naive_season_and_what_has_none() -> None:
    assert classic.season(AIR) == 12
    assert classic.season(np.array([3.0, 1, 2] * 5)) == 3
    assert sum(classic.season(families.make("walk", n, 100)) > 1 for n in range(40)) <= 6
    assert classic.naive(AIR).middle_H.tolist() == [432.0] * HORIZON
    assert classic.seasonal(AIR, 12).middle_H.tolist() == AIR[-12:].tolist()
    assert classic.seasonal(AIR, 12, 13).middle_H[12] == AIR[-12]


@pytest.mark.parametrize(
    "x", [[1, 1, 1, 1], [0, 0, 0, 1e12], [1, 2, 4, 8], [1e-9, -1e-9, 0, 1e-9], [5] * 300]
)
def test_every_method_answers_odd_series(x: list[float]) -> None:
    for name, one in judge.foretell(np.array(x, float)).items():
        assert one.quantile_QH.shape == (7, HORIZON) and np.isfinite(one.quantile_QH).all(), name
        assert (np.diff(one.quantile_QH, axis=0) >= -1e-9 * max(1, *map(abs, x))).all(), name


def test_a_state_of_one_number_is_a_window_without_end() -> None:
    x = np.random.default_rng(1).normal(size=30)
    level, said = x[0], []
    for value in x:
        said.append(level)
        level = 0.3 * value + 0.7 * level
    assert window.smooth(x, 0.3) == pytest.approx(said)
    found = {drift: window.compare(drift, 1) for drift in (0.1, 0.5)}
    for drift, one in found.items():
        assert one.weight == pytest.approx(window.best(drift), abs=0.02)
        assert one.lag_P[:4] == pytest.approx(
            one.weight * (1 - one.weight) ** np.arange(4), abs=0.04
        )
    assert found[0.1].enough > 2 * found[0.5].enough > 2


# ---------------------------------------------------------------- nets


def test_the_lstm_by_hand() -> None:
    x = AIR[-20:]
    z = (x - x.mean()) / x.std()
    p = {k: v.numpy().astype(float) for k, v in nets.shipped()["lstm"].state_dict().items()}
    h = c = np.zeros(48)
    for t in range(len(z)):
        inputs = np.array([z[t], z[t] - z[t - 1] if t else 0.0])
        s = (
            p["cell.weight_ih_l0"] @ inputs
            + p["cell.bias_ih_l0"]
            + p["cell.weight_hh_l0"] @ h
            + p["cell.bias_hh_l0"]
        )
        i, f, g, o = np.split(s, 4)
        c = c / (1 + np.exp(-f)) + np.tanh(g) / (1 + np.exp(-i))
        h = np.tanh(c) / (1 + np.exp(-o))
        assert nets.state("lstm", x)[t] == pytest.approx(h, abs=1e-4)
    raw = (
        p["head.outer.weight"] @ np.tanh(p["head.inner.weight"] @ h + p["head.inner.bias"])
        + p["head.outer.bias"]
    )
    raw = raw.reshape(7, HORIZON)
    assert nets.foretell("lstm", x[None])[0, MIDDLE] == pytest.approx(
        x[-1] + x.std() * raw[MIDDLE], abs=0.05
    )


@pytest.mark.parametrize("name", ["lstm", "transformer"])
def test_a_net_scales_with_its_series_and_knows_no_later_number(name: str) -> None:
    plain = nets.foretell(name, AIR[None])
    moved = nets.foretell(name, 3 * AIR[None] + 50)
    assert moved == pytest.approx(3 * plain + 50, rel=1e-3)
    inputs = torch.randn(1, 40, 2)
    other = inputs.clone()
    other[:, 30:] += 1
    net = nets.shipped()[name]
    if (
        name == "lstm"
    ):  # the places of the Transformer are counted from the end, which is the same for both
        assert torch.equal(net.states(inputs)[:, :30], net.states(other)[:, :30])
    else:
        assert torch.allclose(net.states(inputs)[:, :30], net.states(other)[:, :30], atol=1e-6)


def test_training_goes_down_and_is_the_same_again() -> None:
    def losses() -> list[float]:
        return [loss for loss, _net in build.learn("gaps", build.LEARNED["gaps"][0], 25)]

    first = losses()
    assert first == losses() and np.mean(first[-5:]) < np.mean(first[:5])


def test_dry_days_alone_do_not_spoil_a_batch() -> None:
    for step in range(30):
        (read,), true, worth = build.mixture(step)
        assert all(torch.isfinite(one).all() for one in (read, true, worth))


def test_pinball_is_least_at_the_quantiles() -> None:
    true = torch.from_numpy(np.random.default_rng(0).normal(size=(4_000, 1))).float()
    best = torch.tensor(classic.Z, dtype=torch.float32)[None, :, None]
    least = nets.pinball(best.expand(4_000, -1, -1), true).mean()
    for shift in (-0.2, 0.2):
        assert nets.pinball((best + shift).expand(4_000, -1, -1), true).mean() > least


# ---------------------------------------------------------------- what the page says


def test_naive_is_not_beaten_on_a_random_walk_and_is_on_a_season() -> None:
    walk = judge.family("walk", build.HELD + 1_000)
    assert all(walk.beside(m)[1] <= 0 for m in judge.METHODS)
    load = judge.family("load", build.HELD + 1_000, 40)
    assert load.beside("lstm")[1] > 0
    own = judge.rolling(AIR)
    assert own.beside("ar")[1] > 0 and own.mase_MOH.shape == (6, judge.ORIGINS, HORIZON)
    origin = AIR[:CONTEXT]
    step = np.abs(np.diff(origin)).mean()
    one = judge.judge([origin], AIR[None, CONTEXT : CONTEXT + HORIZON])
    by_hand = np.abs(origin[-1] - AIR[CONTEXT : CONTEXT + HORIZON]).mean() / step
    assert one.mean("naive") == pytest.approx(by_hand)


def test_shipped_coverage_is_that_of_the_shipped_nets() -> None:
    said = json.loads(judge.MEASURED.read_text())["covered"]
    assert said.keys() == families.MADE.keys()
    for name in ("pulse", "walk"):
        assert judge.covered(name, build.HELD) == said[name]
    mean = np.mean([said[f]["lstm"]["80"] for f in said])
    assert 0.75 < mean < 0.86


def test_alarms_gaps_weather_and_sound() -> None:
    found = alarm.judged("pulse", "jump", 2.0, 0.01)
    assert found["net"]["caught"] > 0.9 and found["net"]["false"] < 0.03
    none = alarm.judged("pulse", "jump", 0.0, 0.01)
    assert none["net"]["caught"] < 0.5
    for low, _high, (told, counting, last) in parts.gap_errors():
        assert told < counting < last or low == 0.0
    errors = parts.weather_errors()
    assert errors["LSTM, load and temperature"].mean() < 0.6 * errors["LSTM, load alone"].mean()
    right = parts.sound_right(1.0)
    assert right["sound"] > right["frame"] > 0.5
    value, apart = gaps.made(np.random.default_rng(0), 3)
    assert value.shape == apart.shape == (3, gaps.VISITS + 1) and (apart[:, 1:] >= 0.5).all()
    _wave, heard, label = sound.made(np.random.default_rng(0), 0.5)
    assert heard.shape == (sound.FRAMES, sound.BANDS) and label.max() < len(sound.LABELS)


def test_live_numbers_and_what_is_asked() -> None:
    part, derived = live.read(
        series.AIR, (0, len(series.AIR)), {"back": 12, "net": "transformer", "order": "x"}
    )
    said = part["said"]
    assert said["known"] == 132 and said["season"] == 12 and len(part["labels"]) == 144
    assert derived["state"][1].shape == (144, 32) and np.isnan(derived["state"][1][132:]).all()
    assert said["fans"]["seasonal"][MIDDLE] == AIR[120:132].tolist()
    json.dumps(said, allow_nan=False)
    for text in ("", "7", "1 2 3", "hello 😀", "1e12 " * 400, "? ? ?", "a" * 5_000):
        part, _derived = live.read(text, (0, len(text)), {"back": 99})
        json.dumps(part["said"], allow_nan=False)


def test_parts_and_head() -> None:
    assert [Problem] == [
        type(b) for b in parts.wins.blocks(above="1 2 3") if isinstance(b, Problem)
    ]
    ((row, *_),) = [
        b.rows for b in blocks_in(parts.wins.blocks(above=series.AIR)) if isinstance(b, Rows)
    ]
    assert row["method"] == "AR"
    chosen = [*_run(source="walk", seed=2)]
    assert chosen[-1].opening(Opening("series", "x", ())).example == chosen[-1].text
    assert chosen[-1].text == typed.write(families.make("walk", 2, 120))
    with pytest.raises(ValueError, match="CSV"):
        _run(source="table", file=None)
    table = TABLES["german"].encode()
    assert (
        _run(source="table", file=("t.csv", table), column="Wert")[-1].text
        == "1 2 3 4 5 6 7 8 9 10"
    )


def _run(**more: object) -> list[object]:
    given = {"source": "air", "seed": 1, "file": None, "column": "", **more}
    making, found = parts.HEAD.make(**given), []
    while True:
        try:
            found.append(next(making))
        except StopIteration as end:
            return [*found, end.value]
