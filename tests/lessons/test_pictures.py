"""Patches against torch's own encoder layer, films that are the same backwards, made scenes, the contrastive loss, and
what was measured of the shipped nets."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional

from engine.course.first_minute import places
from engine.frame.blocks import Board, Problem, Warn, blocks_in
from engine.lessons.convolution import images, networks
from engine.lessons.pictures import build, motion, pairs, parts, patches, scenes, store
from engine.lessons.pictures.scenes import Scene
from engine.storage.arrays import read_arrays
from tests.conftest import ROOT
from tests.lessons.blocks import said

HELD = networks.shipped().held_out


def board(of: Any) -> Any:
    return next(block for block in blocks_in(of) if isinstance(block, Board)).data


# ------------------------------------------------------------------ patches


def test_patches_and_sizes() -> None:
    """Specification, transformers J11: 224 pixels in patches of 16 are 196 + 1 tokens."""
    found = patches.cut(torch.arange(64.0).view(1, 8, 8))[0]
    assert found[0].tolist() == [0, 1, 8, 9] and found[1].tolist() == [2, 3, 10, 11]
    assert found[4].tolist() == [16, 17, 24, 25] and found[15].tolist() == [54, 55, 62, 63]
    assert patches.sizes(224, 16) == (197, 768, 38_809)
    assert patches.sizes(100, 16) == (37, 768, 1_369)  # four rows left over


def test_a_layer_is_that_of_torch() -> None:
    torch.manual_seed(0)
    mine = patches.Layer().eval()
    theirs = nn.TransformerEncoderLayer(
        patches.WIDTH, patches.HEADS, patches.HIDDEN, 0.0, norm_first=True, batch_first=True
    )
    names = {"qkv": "self_attn.in_proj_", "out": "self_attn.out_proj.", "up": "linear1."}
    names |= {"down": "linear2.", "norm1": "norm1.", "norm2": "norm2."}
    for name in ("norm1", "norm2"):
        for part in getattr(mine, name).parameters():
            nn.init.normal_(part)
    theirs.load_state_dict(
        {names[k.partition(".")[0]] + k.partition(".")[2]: v for k, v in mine.state_dict().items()}
    )
    theirs.eval()
    z = torch.randn(3, 17, patches.WIDTH)
    with torch.no_grad():
        found, weight = mine(z)
        torch.testing.assert_close(found, theirs(z), atol=1e-5, rtol=1e-5)
        x = theirs.norm1(z)
        asked = theirs.self_attn(x, x, x, need_weights=True, average_attn_weights=False)[1]
        torch.testing.assert_close(weight, asked, atol=1e-6, rtol=1e-5)


def test_without_positions_patches_are_a_set() -> None:
    nets, order = store.shipped(), torch.randperm(16, generator=torch.Generator().manual_seed(1))
    cut = patches.cut(torch.tensor(HELD.ink[:40]).float())
    with torch.no_grad():
        plain, mixed = (nets["set"].attend(one)[0] for one in (cut, cut[:, order]))
        torch.testing.assert_close(plain, mixed, atol=1e-4, rtol=1e-4)
        plain, mixed = (nets["placed"].attend(one)[0] for one in (cut, cut[:, order]))
    assert (plain.argmax(1) != mixed.argmax(1)).sum() > 10


def test_what_was_measured_of_digits() -> None:
    found = store.results()["digits"]
    assert build.of_digits(store.shipped()) == found
    assert found["set"] == found["set_shuffled"]
    assert found["placed"] > found["set"] > found["taken"]
    assert found["convolution"] == networks.shipped().network(1, 1, "max").right
    # None of those that are counted was learned from.
    learned, held = ({images.written(one) for one in of.cells} for of in images.split())
    assert not learned & held and len(HELD) == found["count"]


# ------------------------------------------------------------------ films


def ink(seed: int = 0) -> np.ndarray:
    cells: np.ndarray = HELD.cells[seed]
    return cells


def test_an_image_is_spread_evenly() -> None:
    assert motion.spread(ink(), 8).tolist() == ink().tolist()
    assert np.allclose(motion.spread(np.full((8, 8), 5.0), 13), 5)
    ramp = np.tile(np.arange(8.0), (8, 1))
    assert motion.spread(ramp, 16)[0, 1:15] == pytest.approx(np.arange(0.25, 7, 0.5))


@pytest.mark.parametrize("kind", range(3))
def test_half_of_the_motions_are_the_others_backwards(kind: int) -> None:
    on, back = motion.MOTIONS[2 * kind : 2 * kind + 2]
    for seed in range(20):
        a, b = (motion.clip(ink(seed), name, seed) for name in (on, back))
        assert (a[::-1] == b).all() and a.shape == (8, 16, 16) and 0 <= a.min() <= a.max() <= 1
        if (
            kind < 2
        ):  # the edges are joined: no ink is lost, and each frame is the one before, moved
            assert np.allclose(a.sum((1, 2)), a[0].sum())
            for one, after in pairwise(a):
                moves = {by for by in range(3) if np.allclose(np.roll(one, by, 1 - kind), after)}
                assert moves & {1, 2}


def test_frames_alone_say_nothing_of_the_way() -> None:
    """Over many clips each size is as frequent in the first frame as in the last, so that one that is played
    backwards begins as the others do."""
    seen: list[Counter[int]] = [Counter(), Counter()]
    full = np.full((8, 8), 16)
    for seed in range(1500):
        found = motion.clip(full, "grows", seed)[[0, -1]]
        for of, frame in zip(seen, found, strict=True):
            of[round(float(frame.sum()) ** 0.5)] += 1
    for of in seen:
        assert set(of) == set(range(5, 16))
        assert max(abs(n - 1500 / 11) for n in of.values()) < 5 * (1500 / 11) ** 0.5


def test_the_mean_cannot_tell_a_film_from_the_same_backwards() -> None:
    nets = store.shipped()
    clips = torch.tensor(np.array([motion.clip(ink(n), "right", n) for n in range(30)])).float()
    ways = clips, clips.flip(1)
    with torch.no_grad():
        mean = [nets["mean"](x)[:, -1] for x in ways]
        film = [nets["film"](x)[:, -1].argmax(1) for x in ways]
    torch.testing.assert_close(*mean, atol=1e-3, rtol=1e-3)
    assert (film[0] == 0).float().mean() > 0.9 and (film[1] == 1).float().mean() > 0.9


@pytest.mark.parametrize("kind", ["film", "mean"])
def test_blocks_of_a_stack(kind: str) -> None:
    """Specification, rnn H9."""
    net = store.shipped()[kind]
    stack = motion.stack_of(kind)
    assert sum(weights for *_shape, weights in stack) == sum(p.numel() for p in net.parameters())
    shapes = [shape for _block, shape, _weights in stack]
    seen = []
    for part in net.sight.maps:
        if isinstance(part, nn.MaxPool2d):
            part.register_forward_hook(lambda _m, _x, y: seen.append(tuple(y.shape)))
    with torch.no_grad():
        net(torch.zeros(1, *shapes[0]))
    assert shapes[1:3] == seen
    steps = motion.stack_of("steps")
    assert [weights for *_more, weights in steps if weights] == [256 * 32 + 32, 8_448, 198]


def near(share: float, other: tuple[float, int]) -> bool:
    """Whether a share, measured of fewer, is the same but for chance."""
    hits, count = other
    return abs(share - hits / count) < 4 * (max(share * (1 - share), 0.01) / count) ** 0.5


def test_what_was_measured_of_films() -> None:
    """Of one digit in eight; of all where tests may be slow.  One frame cannot tell more than a third, the mean no
    more than half, but for chance."""
    found, again = store.results()["films"], build.of_films(store.shipped(), 8)
    count = found["count"]
    for name in ("film", "mean"):
        few = zip(found[name], again[name], strict=True)
        assert all(near(a / count, (b, again["count"])) for a, b in few), name
        assert found[name][0] / count < 1 / 3 + 0.03
    assert count == 6 * len(HELD)
    assert found["mean"][-1] / count < 0.53 and found["film"][1] / count > 0.98


@pytest.mark.slow
def test_all_that_was_measured_of_films() -> None:
    assert build.of_films(store.shipped()) == store.results()["films"]


# ------------------------------------------------------------------ pictures and captions


def test_the_contrastive_loss() -> None:
    """Specification, language_models T34; then against torch, and the loss that the nets learn by."""
    text = np.array([[0.8, 0.6], [0.6, 0.8]])
    logit = np.eye(2) @ text / 0.5
    assert logit.tolist() == [[1.6, 1.2], [1.2, 1.6]]
    assert pairs.loss(logit) == pytest.approx(0.513015, abs=1e-6)
    other = torch.randn(7, 7, generator=torch.Generator().manual_seed(0), dtype=torch.double)
    right = torch.arange(7)
    both = functional.cross_entropy(other, right) + functional.cross_entropy(other.T, right)
    assert pairs.loss(other.numpy()) == pytest.approx(float(both) / 2)
    # A lower temperature makes what is right already surer; without any difference it is ln n.
    assert (
        pairs.loss(logit * 10)
        < pairs.loss(logit)
        < pairs.loss(logit * 0)
        == pytest.approx(np.log(2))
    )


def test_scenes_and_captions() -> None:
    every = scenes.every()
    assert len(every) == 14 * 5 + 14 * 3 + 14 * 13 * 4
    assert len({one.caption for one in every}) == len(every)
    assert not any(words in one.caption for one in every for words in scenes.UNSEEN)
    seen = {word for one in every for word in one.caption.split()}
    assert all(word in seen for words in scenes.UNSEEN for word in words.split())
    assert Scene("count", "red cross", "two").caption == "two red crosses"


def colour(picture: np.ndarray, name: str) -> np.ndarray:
    """Where it has this colour."""
    found: np.ndarray = abs(picture - np.array(scenes.COLOURS[name])).max(-1) < 0.2
    return found


def test_a_scene_is_what_its_caption_says(monkeypatch: pytest.MonkeyPatch) -> None:
    from scipy.ndimage import center_of_mass

    put: list[tuple[int, int]] = []
    real = scenes.put
    note = lambda *a: put.append((a[2] // 8, a[3] // 8)) or real(*a)  # noqa: E731
    for seed in range(40):
        rng = np.random.default_rng(seed)
        for how, (down, right) in scenes.RELATIONS.items():
            made = scenes.draw(Scene("relation", "red circle", how, "blue square"), rng)
            a, b = (np.array(center_of_mass(colour(made, one))) for one in ("red", "blue"))
            assert (b - a) @ (down, right) > 4
        for how, count in scenes.COUNTS.items():
            put.clear()
            monkeypatch.setattr(scenes, "put", note)
            made = scenes.draw(Scene("count", "green cross", how), rng)
            monkeypatch.undo()
            assert len({*put}) == len(put) == count  # each in a cell of its own
            assert 7 * count < colour(made, "green").sum() < 34 * count
        row, column = center_of_mass(
            colour(scenes.draw(Scene("place", "blue triangle", "top right"), rng), "blue")
        )
        assert row < 10 and column > 14


def test_words_that_it_never_read() -> None:
    assert pairs.split("A RED circle, left-of 2 zebras_") == (
        ["a", "red", "circle", "left", "of"],
        ["2", "zebras"],
    )
    net = store.shipped()["pairs"]
    assert not net.read(["zebra", "🦓", ""]).any()
    torch.testing.assert_close(net.read(["a red zebra circle"]), net.read(["a red circle"]))
    assert float(net.read(["a red circle", "two blue squares"]).norm(dim=1).min()) == pytest.approx(
        1
    )


def test_the_mean_of_words_knows_no_order() -> None:
    ways = ["a red circle left of a blue square", "a blue square left of a red circle"]
    nets = store.shipped()
    torch.testing.assert_close(*nets["bag"].read(ways).split(1), atol=1e-5, rtol=1e-5)
    assert float((nets["pairs"].read(ways)[0] - nets["pairs"].read(ways)[1]).abs().max()) > 0.05


@pytest.mark.parametrize("name", ["pairs", "bag"])
def test_what_was_measured_of_pictures(name: str) -> None:
    """Those that differ in one thing once more with other drawings; all of it once more where tests may be slow."""
    found = store.results()[name]
    net = store.shipped()[name]
    again = build.of_pairs(net, 2)
    for kind, (hits, count) in found.items():
        assert near(hits / count, again[kind]), kind
    assert found["seen"][0] / found["seen"][1] > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pairs", "bag"])
def test_all_that_was_measured_of_pictures(name: str) -> None:
    found = {k: [*v] for k, v in build.of_pairs(store.shipped()[name]).items()}
    assert found == store.results()[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", store.NETS)
def test_training_again_begins_the_same(name: str) -> None:
    one, other = (build.train(name, 20).state_dict() for _ in range(2))
    assert all((one[key] == other[key]).all() for key in one)


def test_damaged_weights_are_refused() -> None:
    kept = read_arrays(store.ARRAYS)
    assert sum(of.nbytes for of in kept.values()) < 2**20
    kept.pop("film.head.weight")
    with pytest.raises(ValueError, match="film does not fit"):
        store.opened(kept)


# ------------------------------------------------------------------ parts


def test_figures_in_words() -> None:
    """Of the first minute, and of what stands below the tables."""
    found, says = store.results(), " ".join(step.says for step in places("pictures"))
    digits, films = found["digits"], found["films"]
    assert f"{digits['placed']} of {digits['count']}" in says
    assert f"{digits['taken']} of {digits['count']}" in says
    assert all(
        f"{films['film'][n] / films['count']:.1%}".replace("%", " %") in says for n in (0, 1)
    )
    for kind in ("unseen", "seen"):
        hits, count = found["pairs"][kind]
        assert f"{hits:,.0f} of {count:,}" in says
    assert found["bag"]["order"][0] * 2 == found["bag"]["order"][1]
    assert found["pairs"]["order"][0] / found["pairs"]["order"][1] > 0.99
    assert (
        found["bag"]["unseen"][0] < found["pairs"]["unseen"][0] < 0.9 * found["pairs"]["unseen"][1]
    )
    assert "five" not in pairs.WORDS


def test_the_board_of_patches() -> None:
    data = board(parts.patches.blocks())
    assert data["placed"] and data["order"] == list(range(16))
    assert images.read(data["drawing"]) is not None
    assert len(data["net"]["place"]) == 17 * patches.WIDTH
    mixed = board(parts.patches.blocks(shuffled=True, positions="set", drawing="nonsense"))
    assert sorted(mixed["order"]) == list(range(16)) != mixed["order"] and not mixed["placed"]
    assert mixed["drawing"] == data["drawing"]


def test_a_film_of_what_is_drawn() -> None:
    found = parts.moves.blocks(motion="left")
    data = board(found)
    assert len(data["frames"]) == len(data["said"]) == 8 and data["said"][-1][
        0
    ] == motion.MOTIONS.index("left")
    back = board(parts.moves.blocks(motion="left", order="back"))
    assert back["frames"] == data["frames"][::-1] and back["said"][-1][0] == motion.MOTIONS.index(
        "right"
    )
    assert [*parts.MOVES] == [*motion.MOTIONS]
    script = (ROOT / "assets" / "live" / "pictures" / "film.js").read_text(encoding="utf-8")
    assert str([*map(str, parts.MOVES.values())]).replace("'", '"') in script
    empty = parts.moves.blocks(drawing="0" * 64)
    assert not np.any(board(empty)["frames"]) and any(isinstance(one, Warn) for one in empty)


@pytest.mark.parametrize("typed", ["", " ; ;", "🦓", "a" * 400, "a red circle;" * 30, "\x00; a"])
def test_odd_captions(typed: str) -> None:
    found = parts.matrix.blocks(captions=typed)
    if not typed.strip(" ;"):
        assert isinstance(found[-1], Problem)
        return
    data = board(found)
    assert (
        len(data["captions"]) <= parts.MOST == len(data["captions"][: parts.MOST])
        or data["captions"]
    )
    assert np.isfinite(data["cosines"]).all()
    if "🦓" in typed or "aaa" in typed:
        assert data["known"] == [False] and not np.any(data["cosines"])
        assert any(isinstance(block, Warn) for block in found) == ("aaa" in typed)


def test_the_matrix_has_its_diagonal() -> None:
    data = board(parts.matrix.blocks())
    cosine = np.array(data["cosines"])
    assert data["square"] and (cosine.argmax(1) == np.arange(6)).all()
    assert not board(parts.matrix.blocks(captions="a red circle"))["square"]
    assert "zebra" in said(
        [b for b in parts.matrix.blocks(captions="a zebra") if isinstance(b, Warn)]
    )
