"""An index on the disk, against counting by hand: any run, the longest that occurs, what followed it, and its lines."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from engine.ngram import index, indexing
from engine.ngram.index import Index, build
from engine.text.tokenizers.words import Words
from tests.conftest import LINES

END = 2


def stream(count: int, size: int, seed: int) -> np.ndarray:
    """Ids with many runs that come again, and line ends."""
    rng = np.random.default_rng(seed)
    some = rng.zipf(1.3, count) % (size - 3) + 3
    some[rng.random(count) < 0.1] = END
    some[count // 2 : count // 2 + count // 5] = some[: count // 5]
    some[-1] = END
    return some.astype(np.int64)


def built(folder: Path, ids: np.ndarray, size: int, shard: int = 0, parts: int = 3) -> Index:
    *_, last = build(np.array_split(ids, parts), size, END, folder, shard)
    assert last[0] == "sorted"
    return Index(folder)


def runs(ids: np.ndarray, ends: list[int], n: int) -> Counter[tuple[int, ...]]:
    """Of n ids each, none of them over the border of a shard."""
    found = Counter[tuple[int, ...]]()
    for a, b in pairwise(ends):
        found.update(tuple(ids[i : i + n].tolist()) for i in range(a, b - n + 1))
    return found


@pytest.mark.parametrize(("size", "shard"), [(40, 0), (40, 300), (100_000, 300), (70_000, 0)])
def test_counts_are_those_of_the_text(tmp_path: Path, size: int, shard: int) -> None:
    ids = stream(2_000, size, 7)
    of = built(tmp_path, ids, size, shard)
    ends = [*of.begin_S.tolist(), len(ids)]
    assert len(of) == len(ids) and (len(ends) > 2) == bool(shard)
    if shard:
        assert all(ids[end - 1] == END for end in ends[1:])
    for n in (1, 2, 3, 5, 9):
        every = runs(ids, ends, n)
        for run, count in every.most_common(20) + [(run, every[run]) for run in [*every][::97]]:
            assert of.find(run).count == count
    assert of.find([size + 5]).count == 0 and of.find([]).count == len(ids)
    assert (tmp_path / "tokens").stat().st_size <= 4 * len(ids)
    assert sum(p.stat().st_size for p in tmp_path.glob("places-*")) == 4 * len(ids)


def test_the_longest_context_and_what_followed_it(tmp_path: Path) -> None:
    ids = stream(3_000, 30, 3)
    of = built(tmp_path, ids, 30, 700)
    ends = [*of.begin_S.tolist(), len(ids)]
    every = [runs(ids, ends, n) for n in range(70)]
    rng = np.random.default_rng(1)
    for _ in range(60):
        at = int(rng.integers(70, len(ids)))
        context = ids[at - 64 : at].tolist()
        if rng.random() < 0.5:
            context[int(rng.integers(0, 64))] = 29
        found = of.longest(context)
        wanted = max(n for n in range(65) if n == 0 or tuple(context[64 - n :]) in every[n])
        assert found.run == wanted
        behind = Counter(
            {
                run[-1]: n
                for run, n in every[wanted + 1].items()
                if run[:-1] == tuple(context[64 - wanted :])
            }
        )
        id_W, count_W = of.following(found, most=100)
        assert dict(zip(id_W.tolist(), count_W.tolist(), strict=True)) == dict(behind)
        assert count_W.tolist() == sorted(count_W.tolist(), reverse=True)
        for id, count in behind.items():
            assert of.count_behind(found, id) == count


def test_what_followed_often_is_counted_to_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "SAMPLE", 50)
    ids = stream(5_000, 30, 5)
    of = built(tmp_path, ids, 30)
    counts = Counter(ids.tolist())
    id_W, count_W = of.following(of.find([]), most=5)
    assert list(zip(id_W.tolist(), count_W.tolist(), strict=True)) == sorted(
        ((id, counts[id]) for id in id_W.tolist()), key=lambda one: (-one[1], one[0])
    )
    assert id_W[0] == counts.most_common(1)[0][0]


def test_its_lines(tmp_path: Path) -> None:
    ids = stream(1_000, 20, 2)
    of = built(tmp_path, ids, 20, 200)
    found = of.find([5])
    places = of.places(found, 10)
    assert len(places) and (np.diff(places) > 0).all() and (ids[places] == 5).all()
    for place in places.tolist():
        a, b = of.line(place)
        assert a <= place < b and END not in ids[a:b].tolist()
        assert (a == 0 or ids[a - 1] == END or a == place - 40) and (
            b == len(ids) or ids[b] == END or b == place + 40
        )


def test_what_is_no_index_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no whole index"):
        Index(tmp_path)
    built(tmp_path, stream(300, 20, 1), 20)
    for name in ("tokens", "places-000", "index.json"):
        raw = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(raw[:-2])
        with pytest.raises(ValueError, match="no whole index"):
            Index(tmp_path)
        (tmp_path / name).write_bytes(raw)
    with pytest.raises(ValueError, match="nothing to index"):
        [*build([], 20, END, tmp_path)]


def test_a_text_is_cut_once_and_its_commonest_words_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(indexing, "BLOCK", 64)
    *steps, last = indexing.build(LINES * 6, tmp_path, 24)
    assert last[0] == "sorted" and steps[0][0] == "cut" and not (tmp_path / "numbered").exists()
    of, tokenizer = indexing.opened(tmp_path)
    stream = np.concatenate([[*ids, END] for ids in tokenizer.ids(LINES * 6)])
    assert of.token_N.tolist() == stream.tolist()
    wanted, _ = Words.learn(LINES * 6, 24)
    assert tokenizer.vocab == wanted.vocab
    assert of.find(tokenizer.encode("the cat sat").ids.tolist()).count == 6
    found = of.longest(tokenizer.encode("unheard of: the dog sat on the").ids.tolist())
    assert (
        tokenizer.decode(stream[of.places(found, 1)[0] :][: found.run].tolist())
        == "the dog sat on the"
    )


def test_one_that_was_cut_short_is_none(tmp_path: Path) -> None:
    making = indexing.build(LINES, tmp_path)
    for what, *_ in making:
        if what == "sorted":
            break
    making.close()
    with pytest.raises(ValueError, match="no whole index"):
        indexing.opened(tmp_path)
    assert not (tmp_path / "numbered").exists()
