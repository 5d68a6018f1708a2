"""The command line, to the letter: results, exit status, one line for what goes wrong, one object
for --json."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.__main__ import main
from engine.core.registry import commands, models
from engine.models.abilities import Fills, able
from engine.runs.store import RunStore
from engine.text.tokenizers.base import passages
from tests.conftest import LINES, ROOT, TEXT, Capture, Patch, sampled, text_of

Folder = Callable[[str], Path]
TALKERS = [id for id in ("ngram", "lstm", "transformer") if id in models.ids()]
QUICK = "--set steps=12 --set units=8 --set width=8 --set batch=2 --set span=8".split()


@pytest.fixture
def text_file(tmp_path: Path) -> str:
    path = tmp_path / "a text.txt"
    path.write_text(TEXT, encoding="utf-8")
    return str(path)


def good(capture: Capture, *arguments: str) -> str:
    status = main(arguments)
    out, err = capture.readouterr()
    assert status == 0, err
    return out


def object_of(capture: Capture, *arguments: str) -> dict[str, Any]:
    def never(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    out = good(capture, *arguments, "--json")
    assert out.count("\n") == 1
    found: dict[str, Any] = json.loads(out, parse_constant=never)
    return found


def wrong(capture: Capture, *arguments: str) -> str:
    """The one line; nothing on standard output."""
    status = main(arguments)
    out, err = capture.readouterr()
    lines = [line for line in err.splitlines() if line.startswith("error: ")]
    assert status == 2 and out == "" and "Traceback" not in err, (status, out, err)
    assert len(lines) == 1 and err.splitlines()[-1] == lines[0], err
    return lines[0]


def test_as_a_program() -> None:
    """One process from outside: help, a result on one stream and a problem on the other."""
    run = [sys.executable, "-m", "engine"]
    shown = subprocess.run([*run, "--help"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert all(command in shown.stdout for command in commands.ids())
    ask = [*run, "next", "nobody", "x"]
    bad = subprocess.run(ask, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (bad.returncode, bad.stdout, bad.stderr.count("\n")) == (2, "", 1)
    assert "no run 'nobody'" in bad.stderr


@sampled("command", commands.ids())
def test_help_of_each_command_documents_its_json(command: str, capsys: Capture) -> None:
    with pytest.raises(SystemExit) as end:
        main([command, "--help"])
    assert end.value.code == 0
    assert "--json: {" in capsys.readouterr().out


def test_list(capsys: Capture, run_folder: Folder) -> None:
    folder = run_folder("lstm")
    assert [m["id"] for m in object_of(capsys, "list", "models")["models"]] == models.ids()
    assert list(object_of(capsys, "list")) == ["models", "views", "lessons", "runs"]
    found = {run["id"]: run for run in object_of(capsys, "list", "runs")["runs"]}
    mine = found[folder.name]
    assert mine["model"] == "lstm" and Path(mine["folder"]) == folder.resolve()
    assert not mine["shipped"]
    for run in found.values():
        assert run["shipped"] == (Path(run["folder"]).parent == ROOT / "assets" / "runs")
    for what in ("models", "views", "lessons", "runs"):
        assert good(capsys, "list", what).startswith(what)
    assert "lstm" in good(capsys, "list")


def test_an_encoder_is_scored_by_masked_words(
    capsys: Capture, tmp_path: Path, run_folder: Folder, text_file: str
) -> None:
    ask = ("score", str(run_folder("bert")), "--text", text_file)
    found, told = object_of(capsys, *ask), good(capsys, *ask)
    run = RunStore().find(str(run_folder("bert")))
    want = able(RunStore().load(run), Fills).judge(passages(TEXT))
    assert found == {"run": run.id, "model": "bert", **want} and want["masked_words"] > 50
    assert f"{want['accuracy']:.4f}" in told and f"{want['masked_words']:,}" in told
    assert "reads each line alone" in wrong(capsys, *ask, "--running")
    (strange := tmp_path / "strange.txt").write_text("猫 犬\n", encoding="utf-8")
    assert "fills no masks" in wrong(capsys, *ask[:3], str(strange))


def test_train_writes_a_run_that_the_others_read(
    capsys: Capture, tmp_path: Path, text_file: str
) -> None:
    out = str(tmp_path / "new" / "my run")
    train = ("train", "lstm", "--text", text_file, *QUICK, "--out", out)
    twice = (*train, "--text", text_file, "--seed", "5")
    made = object_of(capsys, *twice)
    assert (made["model"], made["seed"], made["steps"]) == ("lstm", 5, 12)
    assert made["config"]["units"] == 8 and Path(made["folder"]) == Path(out).resolve()
    assert made["corpus"]["characters"] == 2 * len(TEXT)
    assert object_of(capsys, "score", out, "--text", text_file)["perplexity"] > 1
    assert "my run" in good(capsys, *twice, "--resume")
    assert "finished run" in wrong(capsys, *train)
    assert "other settings" in wrong(capsys, *train, "--resume")


@sampled("id", models.ids(), each=5)
def test_every_model_trains_here(id: str, capsys: Capture, tmp_path: Path, text_file: str) -> None:
    known = models.get(id).config_type.__dataclass_fields__
    few = {"steps": 3, "batch": 16, "vocabulary": 300, "units": 8, "width": 16}
    settings = [f"{name}={value}" for name, value in few.items() if name in known]
    pairs = [part for pair in settings for part in ("--set", pair)]
    Path(text_file).write_text(text_of(models.get(id)), encoding="utf-8")
    train = ("train", id, "--text", text_file, *pairs, "--device", "cpu")
    made = object_of(capsys, *train, "--out", str(tmp_path / id))
    assert made["device"] == "cpu" and (tmp_path / id / "run.json").is_file()
    assert object_of(capsys, "trace", str(tmp_path / id), "the cat")["fields"]


def test_ctrl_c_says_how_to_go_on(tmp_path: Path, text_file: str) -> None:
    # what is started in the background of a shell does not hear Ctrl-C by itself
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); from"
        " engine.__main__ import main; sys.exit(main(sys.argv[1:]))"
    )
    train = ["train", "lstm", "--text", text_file, "--out", str(tmp_path / "x")]
    command = [sys.executable, "-c", code, *train, "--set", "steps=100000"]
    with subprocess.Popen(
        command, cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stderr
        seen = ""
        while "/100000" not in seen:  # the bar: training has begun
            assert child.poll() is None
            seen += child.stderr.read(1)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
    assert child.returncode == 130 and out == "" and "--resume" in err and "Traceback" not in err


@sampled("id", TALKERS)
@pytest.mark.parametrize("context", ["", "the cat", "🙂 <b>", "\udcff"])
def test_next(id: str, context: str, capsys: Capture, run_folder: Folder) -> None:
    run = run_folder(id).name
    found = object_of(capsys, "next", run, context, "-k", "3")
    p = [row["probability"] for row in found["next"]]
    assert len(p) == 3 and p == sorted(p, reverse=True)
    assert sum(p) + found["not_shown"] == pytest.approx(1, abs=1e-4)
    whole = object_of(capsys, "next", run, context, "--all")
    assert len(whole["next"]) == whole["vocabulary"] and whole["not_shown"] == 0
    assert sum(row["probability"] for row in whole["next"]) == pytest.approx(1, abs=1e-4)
    assert "% not shown" in good(capsys, "next", run, context)


def test_score_is_the_measure(
    capsys: Capture, run_folder: Folder, trained: Callable[[str], Any], tmp_path: Path
) -> None:
    from engine.analysis.measure import score

    text = "the cat sat\nQ dog\n"
    (tmp_path / "t.txt").write_text(text)
    ask = ("score", str(run_folder("lstm")), "--text", str(tmp_path / "t.txt"))
    found = object_of(capsys, *ask)
    for name, value in score(trained("lstm"), text).as_dict().items():
        assert found[name] == pytest.approx(value, rel=1e-6), name
    assert found["oov"] == 1 and "not in the vocabulary" in found["notes"][0]
    assert "perplexity without oov" in good(capsys, *ask)


@pytest.mark.parametrize("id", TALKERS)
def test_sample(id: str, capsys: Capture, run_folder: Folder) -> None:
    rules = "--steps 20 --temperature 0.8 --top-k 20 --top-p 0.9 --min-p 0.01 --seed 3".split()
    rules += ["--typical", "0.95", "--repetition-penalty", "1.2"]
    run = str(run_folder(id))
    found = object_of(capsys, "sample", run, "the cat", *rules)
    assert good(capsys, "sample", run, "the cat", *rules) == "the cat" + found["text"] + "\n"


@pytest.mark.parametrize("id", TALKERS)
def test_sample_with_beams(id: str, capsys: Capture, run_folder: Folder) -> None:
    """With alpha 0 more beams find no less likely text; one beam is the greedy text up to its end."""
    ask, steps = (
        ("sample", str(run_folder(id)), "the cat"),
        ["--steps", "6", "--length-penalty", "0"],
    )
    one, many = (object_of(capsys, *ask, "--beams", n, *steps) for n in ("1", "5"))
    greedy = object_of(capsys, *ask, "--temperature", "0", "--steps", "6")
    assert greedy["text"].startswith(one["text"].rstrip("\n"))
    assert many["log_probability"] >= one["log_probability"]
    assert good(capsys, *ask, "--beams", "5", *steps) == "the cat" + many["text"] + "\n"
    assert object_of(capsys, *ask, "--beams", "2", "--steps", "0")["text"] == ""


@sampled("id", models.ids(), each=5)
def test_trace(id: str, capsys: Capture, run_folder: Folder) -> None:
    found = object_of(capsys, "trace", str(run_folder(id)), "the cat")
    for name, field in found["fields"].items():
        assert len(field["axes"]) == len(field["shape"]) and field["says"], name
    shown = good(capsys, "trace", str(run_folder(id)), "the cat")
    assert all(name in shown for name in found["fields"])
    assert object_of(capsys, "trace", str(run_folder(id)), "")["fields"] is not None


def test_trace_with_gradients(capsys: Capture) -> None:
    found = object_of(capsys, "trace", "rnn", "the cat", "--gradients-of", "loss")["fields"]
    assert found["gradient.hidden"]["kind"] == "gradient"
    assert found["gradient.hidden"]["shape"] == found["hidden"]["shape"]
    one = object_of(capsys, "trace", "rnn", "the cat", "--gradients-of", "2")["fields"]
    assert one["gradient.hidden"]["max"] != found["gradient.hidden"]["max"]


@sampled("id", models.ids(), each=5)
def test_trace_to_a_file(
    id: str, capsys: Capture, run_folder: Folder, trained: Callable[[str], Any], tmp_path: Path
) -> None:
    out = tmp_path / "trace.npz"
    good(capsys, "trace", str(run_folder(id)), "the cat", "--out", str(out))
    trace = trained(id).trace("the cat")
    with np.load(out, allow_pickle=False) as file:
        head = json.loads(str(file["trace"]))
        assert head["text"] == "the cat" and head["run"] == run_folder(id).name
        assert tuple(head["tokens"]) == trace.tokens
        for name, field in head["fields"].items():
            assert {"axes", "labels", "kind", "symbol"} <= set(field), name
            assert file[name].dtype == np.float32
            np.testing.assert_array_equal(file[name], trace.field(name).values)
    again = object_of(capsys, "trace", str(run_folder(id)), "the cat", "--out", str(out))
    assert Path(again["out"]) == out


def test_bench(capsys: Capture, run_folder: Folder, monkeypatch: Patch, tmp_path: Path) -> None:
    from engine.runs import store

    (tmp_path / "one").symlink_to(run_folder("lstm"), target_is_directory=True)
    monkeypatch.setattr(store, "SHIPPED", tmp_path)
    monkeypatch.setenv("UNROLLED_HOME", str(tmp_path / "home"))
    rows = object_of(capsys, "bench", "trace")["rows"]
    assert rows and all(row["median_ms"] <= row["p95_ms"] for row in rows)
    for row in rows:
        ratio = row["median_ms"] / row["peer_median_ms"]
        assert row["bench"] == "trace" and row["ratio"] == pytest.approx(ratio)


def test_bench_p95_by_hand() -> None:
    """Of 1..100 the 95th; of 1..10 the 10th (95 % of ten is 9.5, so ten of them)."""
    from engine.bench import p95

    assert p95([float(i) for i in range(100, 0, -1)]) == 95
    assert p95([float(i) for i in range(1, 11)]) == 10
    assert p95([4.0]) == 4


def test_translate(capsys: Capture, run_folder: Folder, tmp_path: Path) -> None:
    (tmp_path / "lines.txt").write_text("the cat sat\n\na dog ate\n", encoding="utf-8")
    ask = ("translate", str(run_folder("encoder_decoder")), "--text", str(tmp_path / "lines.txt"))
    lines = object_of(capsys, *ask)["lines"]
    assert len(lines) == 3 and lines[1] == "" and good(capsys, *ask) == "\n".join(lines) + "\n"
    assert "does not translate" in wrong(capsys, "translate", str(run_folder("lstm")), *ask[2:])


def test_a_reader_that_leaves_is_no_error(run_folder: Folder) -> None:
    command = f'"{sys.executable}" -m engine next "{run_folder("lstm")}" "" --all | head -n 1'
    pipe = ["bash", "-c", f"set -o pipefail; {command}"]
    done = subprocess.run(pipe, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stderr == "" and done.stdout.startswith("probability")


def test_a_terminal_without_signs_still_gets_an_answer(
    run_folder: Folder, monkeypatch: Patch
) -> None:
    for more in (["--json"], []):
        terminal = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
        monkeypatch.setattr(sys, "stdout", terminal)
        assert main(["next", str(run_folder("lstm")), "é ", *more]) == 0
        terminal.flush()
        said = terminal.buffer.getvalue().decode("ascii")  # type: ignore[attr-defined]
        assert json.loads(said)["context"] == "é " if more else "probability" in said


def test_translations_are_compared_with_the_right_ones(
    capsys: Capture, run_folder: Folder, tmp_path: Path
) -> None:
    from engine.analysis.measures import bleu

    pairs = [("the black cat sat", "le chat noir s'est assis"), ("a dog ate", "un chien")]
    (tmp_path / "pairs.txt").write_text("".join(f"{a}\t{b}\n" for a, b in pairs), encoding="utf-8")
    (tmp_path / "lines.txt").write_text("".join(f"{a}\n" for a, _ in pairs), encoding="utf-8")
    ask = ["translate", str(run_folder("encoder_decoder")), "--text"]
    found = object_of(capsys, *ask, str(tmp_path / "pairs.txt"), "--bleu")
    assert found["lines"] == object_of(capsys, *ask, str(tmp_path / "lines.txt"))["lines"]
    score = bleu.measure(found["lines"], [b for _, b in pairs]).score
    assert found["bleu"]["score"] == pytest.approx(score)
    said = wrong(capsys, *ask, str(tmp_path / "lines.txt"), "--bleu")
    assert "it is not a text, a tab and its translation" in said


def test_lines_are_measured(capsys: Capture, tmp_path: Path) -> None:
    from engine.analysis.measures import bleu

    right, said, also = ["the cat sat", "a dog"], ["the cat", "a dog"], ["a cat sat", "the dog"]
    for name, lines in (("right", right), ("said", said), ("also", also)):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    ask = ["measure", "--ref", str(tmp_path / "right"), "--hyp", str(tmp_path / "said")]
    found = object_of(capsys, *ask, "--draws", "50", "--measures", "bleu,wer")
    assert [one["id"] for one in found["measures"]] == ["bleu", "wer"] and found["lines"] == 2
    assert found["measures"][0]["score"] == pytest.approx(bleu.measure(said, right).score)
    assert found["measures"][1]["score"] == pytest.approx(20)
    both = object_of(capsys, *ask, "--also", str(tmp_path / "also"), "--draws", "50")
    assert len(both["measures"]) == 12 and both["measures"][0]["p_randomisation"] > 0
    (tmp_path / "short").write_text("one line\n", encoding="utf-8")
    said_wrong = wrong(
        capsys, "measure", "--ref", str(tmp_path / "right"), "--hyp", str(tmp_path / "short")
    )
    assert "line by line they have to belong together" in said_wrong
    assert "there is no measure 'blue'" in wrong(capsys, *ask, "--measures", "blue")


def test_an_index_is_written_and_asked(tmp_path: Path, capsys: Capture) -> None:
    text, folder = tmp_path / "a.txt", str(tmp_path / "index")
    text.write_text("\n".join(LINES * 3) + "\n\n", encoding="utf-8")
    found = object_of(
        capsys, "index", folder, "--text", str(text), "--find", "they said the old cat"
    )
    assert found["count"] == 0 and found["context"] == "the old cat" and found["times"] == 3
    assert found["next"] == [{"token": "saw", "times": 3, "probability": 1.0}]
    assert found["lines"][0] == "the old cat saw the small bird"
    again = object_of(capsys, "index", folder)
    assert again == {key: found[key] for key in ("folder", "tokens", "vocabulary", "shards")}
    assert "occurs 3 times" in good(capsys, "index", folder, "--find", "the old cat")
    assert main(["index", str(tmp_path / "none")]) == 2
    assert "There is no whole index" in capsys.readouterr().err
