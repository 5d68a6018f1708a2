"""A sentence in a file stays a template with its values, and a file of somebody else's can't ask for
more."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.jobs import status
from engine.language.catalogue import catalogue
from engine.language.message import Message, _
from engine.storage import record
from engine.storage.run_folder import STATUS

WHY = _("the loss is no longer a number at step {step}", step=1234) + _(
    "; the rate was {rate:.3g}", rate=0.25
)


def test_why_a_job_failed_is_said_in_the_reader_s_language(tmp_path: Path) -> None:
    status.put(tmp_path, status.Status(status.FAILED, error=WHY))
    text = json.loads((tmp_path / STATUS).read_text())
    assert text["error"] == "the loss is no longer a number at step 1234; the rate was 0.25"
    found = status.read_last(tmp_path, status.Status)
    assert found is not None and isinstance(found.error, Message)
    assert found.error == str(WHY) and "Schritt 1234" in catalogue("de").say(found.error)


def test_a_list_and_a_table_of_sentences(tmp_path: Path) -> None:
    note = _("{n:,} tokens and more", n=3000)
    record.save(tmp_path / "a.json", {"notes": [note, "3 words"], "in": {"it": note}, "n": 1})
    found = record.load(tmp_path / "a.json")
    assert found == {"notes": [note, "3 words"], "in": {"it": note}, "n": 1}
    for again in (found["notes"][0], found["in"]["it"]):
        assert isinstance(again, Message) and again.values == {"n": 3000}
    assert not isinstance(found["notes"][1], Message)


def grown(times: int) -> dict[str, Any]:
    """A message in a message, each a hundred times as long as the one in it."""
    packed: dict[str, Any] = {"template": "x", "values": {}}
    for _each in range(times):
        packed = {"template": "{a}" * 100, "values": {"a": packed}}
    return packed


@pytest.mark.parametrize(
    "packed",
    [
        {"template": "{a.__class__}", "values": {"a": "x"}},
        {"template": "{a[0]}", "values": {"a": "x"}},
        {"template": "{a:999999999d}", "values": {"a": 1}},
        {"template": "{a:{b}d}", "values": {"a": 1, "b": 999999999}},
        {"template": "{a.b|one|many}", "values": {"a": 1}},
        {"template": "{b}", "values": {"a": 1}},
        {"template": "{a", "values": {"a": 1}},
        {"template": "{a}", "values": {"a": [1]}},
        {"template": "something else", "values": {}},
        {"template": "{a}" * 3000, "values": {"a": "x"}},
        {"template": "x" * 6000, "values": {}},
        grown(6),
        grown(200),
        "a word",
        None,
    ],
)
def test_what_nobody_packed_stays_the_sentence_that_it_is(packed: Any, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"says": "x", "templates": {"x": packed}}))
    assert record.load(tmp_path / "a.json") == {"says": "x"}
    assert type(record.load(tmp_path / "a.json")["says"]) is str
