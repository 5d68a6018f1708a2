"""The zoo as a machine: public files become texts, runs are made and finished from them, measured,
and their table written."""

from __future__ import annotations

import io
import json
import lzma
import shutil
import tarfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.__main__ import main
from engine.analysis import measure
from engine.cli.zoo import recipe_of
from engine.core.registry import corpora, models, sources
from engine.jobs import control
from engine.runs.store import SHIPPED, Recipe, RunStore, digest, read_config
from engine.shipped import judging, recipes, scoreboard
from engine.shipped.highlights import LOOKS
from engine.shipped.recipes import Entry
from engine.shipped.sources import mix, novels
from engine.shipped.sources.base import Source, find
from engine.shipped.sources.simple_wikipedia import SOURCE as WIKIPEDIA
from engine.storage.files import write_bytes
from engine.storage.quantised import NUMBERS
from engine.storage.run_folder import HISTORY, NOTE, WEIGHTS
from engine.training import fit as fitting
from engine.training import history
from engine.training.fit import fit
from engine.training.slim import slim
from tests.conftest import LINES, TEXT, Capture, Patch, small, together

PAGE = (
    "It was a cold night, and the wind that came over the sea was so strong that nobody went out,"
    " said\nthe old man to “his” son.\n\n"
)
ENGLISH = (
    '$$$[ Module 1 Heading ]\nThe World English Bible\n$$$Genesis 1:0\n<chapter n="1"/>\n',
    '$$$Genesis 1:1\n<w lemma="strong:H1">In</w> the <w>beginning</w>, God<note n="a">or, the'
    " <b>gods</b></note> made it. He “spoke”.\n",
    "$$$Genesis 1:2\nIt was God’s. He rested.\n$$$Genesis 1:3\nShort.\n$$$Genesis 1:4\nGone.\n",
    "$$$Jonah 1:1\nThe word came to Jonah.\n",
)
SPANISH = (
    "$$$Genesis 1:1\n<w>EN</w> el principio lo hizo Dios, y habló;\n",
    "$$$Genesis 1:2\nY fué de Dios: reposó á la noche;\n",
    "$$$Genesis 1:3\nEsta es mucho más larga que la otra.\n",
    "$$$Jonah 1:1\nY FUE palabra á Jonás;\n",
)
REVIEWS = [f"good film number {n} .\nit was fun to see .\n" for n in range(1000)]


def tar(path: Path, files: dict[str, str]) -> Path:
    with tarfile.open(path, "w:xz", preset=0) as archive:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(raw := text.encode())
            archive.addfile(info, io.BytesIO(raw))
    return path


def collection() -> dict[str, str]:
    """Small novels: those that are kept back, and two to learn from."""
    return {
        f"novels/{name}.txt": f"\ufeffIn {name} there is  a house.\r\n\r\n{PAGE}x\n"
        for name in (*novels.KEPT_BACK, "Zola_A_1900", "Anon_B_1900")
    }


@pytest.fixture
def data(collections: Path, tmp_path: Path) -> Path:
    """A copy that may be changed."""
    return Path(shutil.copytree(collections, tmp_path / "data"))


@pytest.fixture(scope="module")
def collections(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all collections, each of a few lines, as the real ones are packed."""
    folder = tmp_path_factory.mktemp("collections")
    (folder / "ud_ewt").mkdir()
    tar(folder / "novels.tar.xz", collection())
    articles = [f"Article {n}. " + "It is about “things” that are old.  " * 8 for n in range(3)]
    packed = lzma.compress("\n\n".join([*articles, "too short"]).encode(), preset=0)
    (folder / "simplewiki.txt.xz").write_bytes(packed)
    tagged = (
        "# text = Don't"
        " go\n1-2\tDon't\t_\t_\n1\tDo\tdo\tAUX\n2\tn't\tnot\tPART\n3\tgo\tgo\tVERB\n\n1\tI"
        " a\tI\tPRON\n"
    )
    (folder / "ud_ewt" / "train.conllu.xz").write_bytes(lzma.compress(tagged.encode(), preset=0))
    (folder / "ud_ewt" / "test.conllu").write_text(tagged.replace("go", "stay"))
    with zipfile.ZipFile(folder / "movie_reviews.zip", "w") as archive:
        for label in ("pos", "neg"):
            for n, text in enumerate(REVIEWS):
                archive.writestr(f"movie_reviews/{label}/cv{n:03}.txt", text.replace("good", label))
    tunes = "".join(
        f"X:{n}\nM:6/8\nK:{'CGDAF'[n % 5]}\n" + f"{'CDEFGABcdefga'[n]}3 EFG|" * 6 + "\n\n"
        for n in range(12)
    )
    tar(folder / "tunes.tar.xz", {"ABC_cleaned/jigs.abc": tunes})
    for name, marked in {"web.imp": ENGLISH, "rv1909.imp": SPANISH}.items():
        (folder / name).write_text("".join(marked), encoding="utf-8")
    return folder


def test_every_source_gives_its_text_the_same_at_every_call(data: Path, monkeypatch: Patch) -> None:
    monkeypatch.setattr(mix, "ARTICLES", 300)  # of three articles of 300 each
    for id in sources.ids():
        source = find(id)
        assert isinstance(source, Source)
        assert source.link.startswith("https://") and source.licence and source.title
        text = source.text(data)
        assert text.endswith("\n") and text == source.text(data), id
        for kept in source.unseen(data).values():
            assert kept.endswith("\n") and kept not in text, id
    assert find("copying").text(None) == corpora.get("copying").text()
    with pytest.raises(KeyError, match="no source 'nothing'"):
        find("nothing")


def test_novels_are_kept_back_whole(data: Path, tmp_path: Path) -> None:
    """By hand: the paragraph is joined, quotes are straight, two blanks one, short lines gone."""
    want = "".join(
        f"In {name} there is a house.\nIt was a cold night, and the wind that came over the sea was"
        ' so strong that nobody went out, said\nthe old man to "his" son.\n'
        for name in ("Anon_B_1900", "Zola_A_1900")
    )
    assert find("novels").text(data) == want
    kept = find("novels").unseen(data)["five unseen novels"]
    assert all(f"In {name} there" in kept and name not in want for name in novels.KEPT_BACK)
    assert kept.count("house") == 5
    (folder := tmp_path / "other" / "novels").mkdir(parents=True)
    for name, text in collection().items():
        (folder / Path(name).name).write_text(text)
    assert find("novels").text(folder.parent) == want
    (folder / f"{novels.KEPT_BACK[0]}.txt").unlink()
    with pytest.raises(ValueError, match=novels.KEPT_BACK[0]):
        find("novels").text(folder.parent)
    assert sorted(find("novels_drawn").text(data).splitlines()) == sorted(want.splitlines())


def test_the_other_texts_by_hand(data: Path) -> None:
    assert find("ud_english").text(data) == "Do/AUX n't/PART go/VERB\nI_a/PRON\n"
    assert find("ud_english").unseen(data) == {"test part": "Do/AUX n't/PART stay/VERB\nI_a/PRON\n"}
    wiki = find("simple_wikipedia").text(data)
    assert wiki.count("\n") == 3 and "too short" not in wiki
    assert 'about "things" that are old. It' in wiki
    learned, kept = find("film_reviews").text(data), find("film_reviews").unseen(data)
    whole = kept["200 unseen reviews, whole"].splitlines()
    assert len(whole) == 200 and whole[0].startswith("positive\tpos film")
    assert sum(line.startswith("negative\tneg film") for line in whole) == 100
    assert {line.split("\t")[0] for line in learned.splitlines()} == {"positive", "negative"}
    number = {int(line.split("number ")[1].split()[0]) for line in whole if line.startswith("pos")}
    seen = {
        int(line.split("number ")[1].split()[0])
        for line in learned.splitlines()
        if line.startswith("pos") and "number" in line
    }
    assert len(number) == 100 and not number & seen


def test_what_learned_from_the_mix_is_judged_by_other_texts(data: Path, monkeypatch: Patch) -> None:
    monkeypatch.setattr(mix, "ARTICLES", 300)
    learned, kept = find("mix_judged").text(data), find("mix_judged").unseen(data)
    articles, reviews, web = kept.values()
    number = {n for n in range(3) for text in (articles, learned) if f"Article {n}." in text}
    assert number == {0, 1, 2} and articles.count("Article") + learned.count("Article") == 3
    assert learned == find("mix").text(data)
    assert reviews.count("\n") == 200 and reviews.startswith("pos film") and "\t" not in reviews
    assert web == "Don't stay\n"


def test_verses_become_pairs_of_sentences(data: Path) -> None:
    """Verse 1 has 2 and 1 sentences and stays whole; 2 has two in each; 3 is long; 4 is in one only."""
    assert find("bibles").text(data) == (
        "In the beginning, God made it. He spoke.\tEn el principio lo hizo Dios, y habló.\n"
        "It was God's.\tY fue de Dios.\nHe rested.\tReposó a la noche.\n"
    )
    kept = find("bibles").unseen(data)["four unseen books"]
    assert kept == "The word came to Jonah.\tY FUE palabra a Jonás.\n"
    back, there = find("bibles_back").text(data), find("bibles").text(data)
    assert [line.split("\t")[::-1] for line in back.splitlines()] == [
        line.split("\t") for line in there.splitlines()
    ]
    assert find("bibles_back").unseen(data)["four unseen books"].startswith("Y FUE palabra")
    (data / "rv1909.imp").write_text("$$$Exodus 1:1\nY estos.\n", encoding="utf-8")
    with pytest.raises(ValueError, match="no verse in common"):
        find("bibles").text(data)


def test_a_file_that_is_missing_or_damaged(data: Path, capsys: Capture) -> None:
    (data / "simplewiki.txt.xz").write_bytes(b"\xfd7zXZ\x00 and then nothing of use")
    with pytest.raises(ValueError, match="damaged"):
        WIKIPEDIA.text(data)
    (data / "novels.tar.xz").write_bytes(b"no archive")
    (data / "movie_reviews.zip").unlink()
    for names, want in (
        (["lstm"], "is damaged"),
        (["sentiment"], "movie_reviews.zip or review_polarity.tar.gz"),
        (["tagger", "--table"], "no finished run"),
    ):
        assert main(["zoo", *names, "--data", str(data), "--out", str(data / "out")]) == 2, names
        assert want in capsys.readouterr().err and not (data / "out").exists()
    for arguments, want in (
        (["lstm"], "say with --data"),
        (["--data", str(data / "none")], "is no folder"),
        (["--data", str(data), "--text", "x"], "not both"),
    ):
        assert main(["zoo", *arguments]) == 2
        assert want in capsys.readouterr().err


@pytest.fixture
def tiny(monkeypatch: Patch) -> None:
    """A zoo of two: one that learns from novels, one of a built-in text."""
    settings = {"steps": 5, "units": 8, "layers": 1, "batch": 2, "span": 8}
    two = {
        "novel": Entry("lstm", "Novel", settings),
        "story": Entry("ngram", "Story", source="copying"),
    }
    for module in (recipes, scoreboard):
        monkeypatch.setattr(module, "ZOO", two)


@pytest.mark.usefixtures("tiny")
def test_runs_are_made_measured_and_told_of(data: Path, capsys: Capture, tmp_path: Path) -> None:
    out = tmp_path / "runs"
    assert main(["zoo", "--data", str(data), "--out", str(out), "--json"]) == 0
    runs = json.loads(capsys.readouterr().out)["runs"]
    assert sorted(run["run"] for run in runs) == ["novel", "story"]
    note = json.loads((out / "novel" / "run.json").read_text())
    assert note["corpus"]["name"] == "English novels" and note["threads"] >= 1
    assert note["corpus"]["link"].startswith("https")
    assert {p.name for p in (out / "novel").iterdir()} == {"run.json", "history.csv", WEIGHTS}
    before = (out / "novel" / "run.json").stat().st_mtime_ns
    before_it = f"# Before\n\n{scoreboard.BEGIN}\nold\n{scoreboard.END}\nafter\n"
    (out / scoreboard.README).write_text(before_it)
    assert main(["zoo", "--data", str(data), "--out", str(out), "--table"]) == 0
    assert (out / "novel" / "run.json").stat().st_mtime_ns == before
    measured = scoreboard.read(out)
    (result,) = measured["novel"]["results"]
    model = (store := RunStore(out)).load(run := store.find("novel"))
    unseen = find("novels").unseen(data)["five unseen novels"]
    alone = measure.score(model, unseen).bits_per_char
    assert result["alone"]["bits_per_char"] == pytest.approx(alone, abs=1e-4)
    assert result["characters"] == len(unseen)
    assert measured["novel"]["size_bytes"] == (run.folder / WEIGHTS).stat().st_size
    v = len(model.tokenizer.vocab)  # embedding, LSTM with two biases, output
    assert measured["novel"]["parameters"] == v * 64 + 4 * 8 * (64 + 8 + 2) + v * 8 + v
    assert measured["story"]["results"][0]["on"] == judging.OWN and measured["story"]["ngrams"] > 0
    text = (out / scoreboard.README).read_text()
    assert text.startswith("# Before\n") and text.endswith(f"{scoreboard.END}\nafter\n")
    assert "old" not in text
    assert f"**{result['running']['bits_per_char']:.3f}** bits per character reading on" in text
    kept = (out / scoreboard.MEASURED).read_bytes()
    assert main(["zoo", "--out", str(out), "--table"]) == 0
    assert (out / scoreboard.MEASURED).read_bytes() == kept
    assert (out / scoreboard.README).read_text() == text
    (data / "novels.tar.xz").unlink()
    tar(data / "novels.tar.xz", collection() | {"novels/New_C_1900.txt": PAGE})
    assert main(["zoo", "novel", "--data", str(data), "--out", str(out), "--table"]) == 0
    assert "made from another text" in capsys.readouterr().err
    assert not scoreboard.read(out)["novel"]["results"]
    assert "when its training ended: " in (out / scoreboard.README).read_text()


@pytest.mark.usefixtures("tiny")
def test_a_finished_run_is_only_made_anew_when_it_is_named(
    data: Path, capsys: Capture, tmp_path: Path
) -> None:
    """The weights of a shipped run must not be lost by a command that names none."""
    (text := tmp_path / "t.txt").write_text(TEXT)
    zoo_of = ["zoo", "--out", str(tmp_path / "runs")]
    assert main([*zoo_of, "story", "--data", str(data)]) == 0
    before = (tmp_path / "runs" / "story" / "run.json").read_bytes()
    assert main([*zoo_of, "--text", str(text)]) == 0
    assert "story: left as it is" in capsys.readouterr().err
    assert (tmp_path / "runs" / "story" / "run.json").read_bytes() == before
    assert main([*zoo_of, "story", "--text", str(text)]) == 0
    note = json.loads((tmp_path / "runs" / "story" / "run.json").read_text())
    assert note["corpus"]["characters"] == len(TEXT)


def test_a_run_that_goes_on_with_the_weights_of_another(
    data: Path, capsys: Capture, tmp_path: Path, monkeypatch: Patch
) -> None:
    """Stopped in the second training, the same command takes no step of either again."""
    settings = {"units": 8, "layers": 1, "batch": 2, "span": 8}
    first = Entry("lstm", "Novel", {**settings, "steps": 5}, numbers="int8")
    second = {**settings, "steps": 9, "bits": 4}
    entry = Entry("lstm", "Novel", second, start=first, numbers="int4")
    monkeypatch.setattr(recipes, "ZOO", {"novel": entry})
    monkeypatch.setattr(fitting, "CHECKPOINT_SECONDS", -1.0)
    asked: list[str] = []

    def wish(_: control.ControlFile) -> str:
        asked.append(control.PAUSE if len(asked) == 6 else "")
        return asked[-1]

    monkeypatch.setattr(control.ControlFile, "__call__", wish)
    make = ["zoo", "--data", str(data), "--out", str(tmp_path / "runs")]
    assert main(make) == 2 and "the same command goes on" in capsys.readouterr().err
    half = {path.name for path in (tmp_path / "runs" / "novel").iterdir()}
    assert half >= {"start", "checkpoint.safetensors"}
    assert main(make) == 0
    assert "its start" not in capsys.readouterr().err
    run = (store := RunStore(tmp_path / "runs")).find("novel")
    assert {p.name for p in run.folder.iterdir()} == {"run.json", HISTORY, WEIGHTS}
    assert run.note["steps"] == 9 and run.note["before"]["steps"] == 5
    assert run.note["before"]["seconds"] >= 0
    assert list(history.read(run.folder / HISTORY)["loss_nats"][0]) == list(range(1, 10))
    assert store.load(run)
    # one question a step, but for the last of each training: no step was taken twice
    assert len(asked) == (5 - 1) + (9 - 5 - 1)


@together("id", sorted(recipes.ZOO))
def test_a_shipped_run_has_the_recipe_of_the_zoo(id: str) -> None:
    """So that the zoo makes it again."""
    entry, note = recipes.ZOO[id], json.loads((SHIPPED / id / NOTE).read_text())
    assert recipe_of(entry, note["corpus"]["digest"]).key == note["recipe"]
    assert entry.numbers in NUMBERS
    if entry.start is not None:
        kind = models.get(entry.start.model).config_type
        assert kind(**entry.start.settings).steps < note["config"]["steps"]
    config = read_config(models.get(entry.model), note["config"])
    assert config == models.get(entry.model).config_type(**entry.settings)


@pytest.mark.usefixtures("tiny")
def test_the_texts_can_be_had_as_files(data: Path, tmp_path: Path, capsys: Capture) -> None:
    assert main(["zoo", "--data", str(data), "--write", str(tmp_path / "texts"), "--json"]) == 0
    written = [Path(path) for path in json.loads(capsys.readouterr().out)["written"]]
    names = ["copying.txt", "novels.txt", "novels_five_unseen_novels.txt"]
    assert [path.name for path in written] == names
    assert written[1].read_text() == find("novels").text(data)


def test_a_shipped_history_is_short_and_keeps_its_spikes(tmp_path: Path) -> None:
    path = tmp_path / "history.csv"
    losses = [f"{n},loss_nats,{9 if n == 777 else 1 + n % 5}\n" for n in range(1, 2001)]
    rows = [*losses, "2000,held_out_nats,2.5\n"]
    path.write_text(history.HEAD + "".join(rows))
    history.shorten(path, 400)
    curves, once = history.read(path), path.read_bytes()
    steps, values = curves["loss_nats"]
    assert len(steps) <= 400 and values.max() == 9 and steps[values.argmax()] == 777
    assert steps[[0, -1]].tolist() == [1, 2000]
    assert curves["held_out_nats"][1].tolist() == [2.5] and (np.diff(steps) > 0).all()
    history.shorten(path, 400)
    assert path.read_bytes() == once


@pytest.mark.parametrize("id", ["lstm", "gru", "transformer", "ngram"])
def test_reading_on_is_one_trace_of_the_whole_text(id: str, trained: Callable[[str], Any]) -> None:
    """Brute force: one run over all lines; of a Transformer, each half context behind the other."""
    model, lines = trained(id), LINES * (2 if id == "transformer" else 6)
    text = "\n".join(lines) + "\n"
    tokens = model.tokens(text)

    def p_of(*window: int) -> np.ndarray:
        trace = model.trace(text, window=window)
        return trace.field("probability").values.astype(np.float64)

    if model.context is None:
        p_TV = p_of(0, len(tokens))
        want = [-np.log2(p_TV[t - 1, tokens.ids[t]]) for t in range(1, len(tokens))]
    else:
        want, c, seen = [], model.context, dict[int, Any]()
        # the first end, in steps of half a context, from which t can be seen
        for t in range(1, len(tokens)):
            stop = min(len(tokens), c if t < c else c + ((t - c) // (c // 2) + 1) * (c // 2))
            start = max(0, stop - c)
            if stop not in seen:
                seen[stop] = p_of(start, stop)
            assert t < c or t - start >= c // 2
            want.append(-np.log2(seen[stop][t - 1 - start, tokens.ids[t]]))
    parts = list(measure.running(model, lines))
    found = measure.Score.total(parts)
    assert len(parts) > 1 and found.tokens == len(want) and found.characters == len(text)
    assert found.bits == pytest.approx(sum(want), rel=1e-5)
    alone = measure.score(model, text).bits
    near = {"rel": 1e-6 if id == "ngram" else 1e-4}
    assert (found.bits == pytest.approx(alone, **near)) == (id == "ngram")


def test_score_running_on_the_command_line(
    run_folder: Callable[[str], Path],
    trained: Callable[[str], Any],
    tmp_path: Path,
    capsys: Capture,
) -> None:
    (text := tmp_path / "t.txt").write_text(TEXT)
    command = ["score", str(run_folder("gru")), "--text", str(text), "--running", "--json"]
    assert main(command) == 0
    found = json.loads(capsys.readouterr().out)
    want = measure.Score.total(measure.running(trained("gru"), TEXT.split("\n")[:-1]))
    assert found["bits_per_char"] == pytest.approx(want.bits_per_char, rel=1e-6)


def test_a_part_of_a_long_text_is_spread_over_it() -> None:
    text = "".join(f"line {n:05}\n" for n in range(10_000))
    part = judging.spread(text, 11_000, stretches=10)
    lines = part.splitlines()
    assert len(part) <= 11_000 and set(lines) < set(text.splitlines()) and part.endswith("\n")
    marked = [line for line in lines if int(line[5:]) % 1000 == 0]
    assert marked == [f"line {n:05}" for n in range(0, 10_000, 1000)]
    assert len(lines) == 1000
    assert judging.spread("a\nb\n", 100) == "a\nb\n"
    assert judging.spread("x" * 500, 100) == ""


def test_every_look_is_at_a_run_of_the_zoo() -> None:
    assert set(LOOKS) <= set(recipes.ZOO)
    assert all(entry.source in (*sources.ids(), *corpora.ids()) for entry in recipes.ZOO.values())


def test_the_table_of_the_shipped_runs_is_what_was_measured() -> None:
    runs, measured = scoreboard.shipped(SHIPPED), scoreboard.read(SHIPPED)
    kept = json.loads((SHIPPED / scoreboard.MEASURED).read_text(encoding="utf-8"))
    # where not, write it again: python -m engine zoo --table
    assert list(kept) == [run.id for run in runs] == list(measured)
    for run in runs:
        assert measured[run.id]["size_bytes"] == (run.folder / WEIGHTS).stat().st_size, run.id
        if test := run.note.get("test"):  # what a page says of it
            assert test["accuracy"] == measured[run.id]["results"][0]["found"]["accuracy"], run.id
    prose = (SHIPPED / scoreboard.README).read_text(encoding="utf-8")
    told = prose.split(scoreboard.BEGIN + "\n")[1].split(scoreboard.END)[0]
    assert told == scoreboard.table(SHIPPED, measured)


@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_the_shipped_runs_are_small_and_open_at_once(whole: bool) -> None:
    """45 MB a file and 90 MB together, short curves; each kind opened in 300 ms, three times if busy."""
    files = [path for path in SHIPPED.rglob("*") if path.is_file()]
    assert max(path.stat().st_size for path in files) < 45e6
    assert sum(path.stat().st_size for path in files) < 90e6
    curves = [
        (path.parent.name, name, len(steps))
        for path in files
        if path.name == HISTORY
        for name, (steps, _) in history.read(path).items()
    ]
    # python -m engine zoo NAME --data DIR makes it shorter
    assert max(points for *_, points in curves) <= 410, max(curves, key=lambda c: c[2])
    store, slow = RunStore(SHIPPED), {}
    kinds = {run.model: run for run in store.all()}
    for run in store.all() if whole else kinds.values():
        models.get(run.model)  # its code is loaded once
        for _ in range(3):  # warm, where the first time was too slow
            before = time.process_time()
            store.load(run)
            slow[run.id] = time.process_time() - before
            if slow[run.id] < 0.3:
                break
    assert max(slow.values()) < 0.9, slow


def test_a_full_disk_leaves_the_table_as_it_was(tmp_path: Path, monkeypatch: Patch) -> None:
    write_bytes(tmp_path / scoreboard.README, b"# mine\n")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(scoreboard, "write_bytes", full)
    with pytest.raises(OSError, match="No space"):
        scoreboard.write(tmp_path, {})
    assert (tmp_path / scoreboard.README).read_bytes() == b"# mine\n"


def test_the_last_step_is_no_snapshot(tmp_path: Path) -> None:
    """It is the run itself."""
    folder = tmp_path / "run"
    recipe = Recipe("skipgram", small(models.get("skipgram")), digest(TEXT), 0)
    list(fit(folder, recipe, TEXT, snapshots=3))
    run = RunStore().find(str(folder))
    kept = [*run.snapshots]
    assert len(kept) == 3 and kept[-1] == run.note["steps"]
    slim(folder, {})
    assert [*run.snapshots] == kept[:-1]
    assert not [run.id for run in RunStore(SHIPPED).all() if run.note.get("steps") in run.snapshots]
