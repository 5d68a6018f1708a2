"""Chat templates: turns as people write them become the very tokens that the library makes of them; what was
typed is known by its place; a hostile template ends in a sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.language.catalogue import tell
from engine.live import cache, chunked_tokenization, lookup, window
from engine.pretrained.stored import TEMPLATE
from engine.runs import imported
from engine.runs.store import Run
from engine.text import chat
from engine.text.chat import Turn, read_turns
from tests.conftest import only_runs
from tests.models.checkpoints import saved
from tests.pages.opening import opened
from tests.pages.test_every_page import answered

MARKS = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}
CHATML = (  # of SmolLM2, shortened
    "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}"
    "{{ '<s>system\na cat</s>\n' }}{% endif %}"
    "{{'<s>' + message['role'] + '\n' + message['content'] + '</s>' + '\n'}}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<s>assistant\n' }}{% endif %}"
)
LLAMA_2 = (  # shortened: it trims, begins with a mark, and takes turns in one order only
    "{{ bos_token }}{% for message in messages %}"
    "{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('turns must alternate') }}{% endif %}"
    "{% if message['role'] == 'user' %}{{ '[INST] ' + message['content'] | trim + ' [/INST]' }}"
    "{% else %}{{ ' ' + message['content'] | trim + eos_token }}{% endif %}{% endfor %}"
)
TEMPLATES = {"chatml": CHATML, "llama 2": LLAMA_2}
TALKS = {
    "one turn": "the cat sat",
    "blanks around it": "  the old cat ",
    "three": "User: the cat sat\n\nAssistant: on the mat\nuser: a dog saw",
    "an answer begun": "the cat sat\nAssistant: on the",
    "an answer begun with blanks": "the cat sat\nAssistant:  on the ",
    "an answer that waits": "the cat sat\nAssistant:",
    "two lines": "the cat\nsat: on the mat",
    "nothing said": "",
    "strange signs": "é 猫 <s> </s> assistant",
}


def messages(text: str) -> list[dict[str, str]]:
    found = [{"role": t.role, "content": text[t.start : t.stop]} for t in read_turns(text)]
    return [said for said in found if said["role"] != "assistant" or said["content"].strip()]


@pytest.fixture(scope="module", params=TEMPLATES)
def talking(request: Any, tmp_path_factory: Any) -> tuple[Any, Any, Any]:
    """(the library's tokenizer, an imported run, its model that reads conversations)."""
    from transformers import AutoTokenizer

    place: Path = tmp_path_factory.mktemp("chat")
    saved("llama", place / "there")
    (place / "there" / "chat_template.jinja").write_text(TEMPLATES[request.param])
    run = imported.store(str(place / "there"), place / "run")
    assert run.note["checkpoint"]["chat"] is True
    read = AutoTokenizer.from_pretrained(place / "there")
    return read, run, cache.model(run.read_as("conversation"))


@pytest.mark.parametrize("name", TALKS)
def test_turns_are_the_tokens_of_the_library(name: str, talking: Any) -> None:
    read, _, model = talking
    text = TALKS[name]
    begun = messages(text)[-1]["role"] == "assistant"
    way: Any = {"continue_final_message": True} if begun else {"add_generation_prompt": True}
    tokens = model.tokens(text)
    theirs = read.apply_chat_template(messages(text), tokenize=True, return_dict=False, **way)
    assert tokens.ids.tolist() == list(theirs)
    # what was typed has its place, in order; what the template wrote covers nothing
    spans = tokens.spans
    assert all(a <= b for a, b in spans) and list(spans) == sorted(spans)
    said = {n for turn in read_turns(text) for n in range(turn.start, turn.stop)}
    covered = {n for a, b in spans for n in range(a, b)}
    assert covered <= said and not [n for n in said - covered if text[n].strip()]
    assert sum(a == b for a, b in spans) >= 2
    assert window.cut(tokens, (0, len(text))) == (0, len(tokens) if text else 0)
    assert not len(model.marks())


def test_a_long_conversation_is_not_cut_in_pieces(talking: Any) -> None:
    _, _, model = talking
    text = "the cat sat on the mat\n" * 200 + "Assistant: a dog"
    whole = model.tokens(text)
    assert len(text) > 2 * chunked_tokenization.PIECE
    assert window.tokens(model, text).ids.tolist() == whole.ids.tolist()


def test_a_word_is_looked_up_without_the_template(talking: Any) -> None:
    _, run, model = talking
    assert (
        lookup.find(model, "cat sat mat").says
        == lookup.find(cache.model(run.read_as("alone")), "cat sat mat").says
    )
    assert (
        model.tokens("the cat").ids.tolist() != model.tokenizer.encode_plain("the cat").ids.tolist()
    )


def test_the_page_has_the_switch_and_shows_what_the_template_adds(
    talking: Any, tmp_path_factory: Any
) -> None:
    read, run, _ = talking
    for _root in only_runs(tmp_path_factory, {"chat": run.folder}):
        at = opened("transformer", run="chat")
        assert [one.label for one in at.toggle][:2] == ["As a conversation", "Read behind \\<s\\>"]
        at.toggle[1].set_value(False).run()
        alone = answered(at, "transformer", "the cat sat")[0]["layout"]["hash"]
        at.toggle[0].set_value(True).run()
        header, _ = answered(at, "transformer", "the cat sat")
        assert header["layout"]["hash"] != alone  # or the browser would keep what it has drawn
        (part,) = header["readings"]
        said = [{"role": "user", "content": "the cat sat"}]
        ids = read.apply_chat_template(said, add_generation_prompt=True, return_dict=False)
        assert part["total"] == len(ids) == len(part["labels"])
        assert [one.label for one in at.toggle if "behind" in one.label] == []
        # typed on: the browser keeps what stands before
        header, _ = answered(at, "transformer", "the cat sat\nUser: a dog\nUser: a cat")
        refused = "the text is read as it stands" in " ".join(header["notes"])
        assert refused == ("raise_exception" in read.chat_template)


def test_turns_begin_where_lines_name_them() -> None:
    text = "\nSystem: a cat\n\n USER: no\nuser:\tthe cat \n\nAssistant:"
    assert [(t.role, text[t.start : t.stop]) for t in read_turns(text)] == [
        ("system", "a cat\n\n USER: no"),
        ("user", "the cat"),
        ("assistant", ""),
    ]
    assert read_turns("") == [Turn("user", 0, 0)]


def test_what_a_template_refuses_is_read_as_it_stands_and_said(talking: Any) -> None:
    _, _, model = talking
    if model.tokenizer.chat["template"] != LLAMA_2:
        pytest.skip("it takes turns in any order")
    text = "User: the cat\nUser: a dog"
    assert model.tokens(text).ids.tolist() == model.tokenizer.encode_plain(text).ids.tolist()
    said = "the model's chat template does not take this: turns must alternate; the text is read as it stands."
    assert str(model.tokenizer.note(text)) == said
    german = tell(model.tokenizer.note(text), "de")
    assert german.startswith(
        "die Gesprächsvorlage des Modells nimmt das nicht an: turns must alternate;"
    )
    assert not model.tokenizer.note("the cat")


HOSTILE = {
    "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}": "took too long",
    "{{ 'a' * 10 ** 10 }}": "not enough memory",
    "{% for a in range(99999) %}{{ 'abcdefgh' }}{% endfor %}": "characters, and 400,000 fit",
    "{% include '/etc/passwd' %}": "no loader",
    "{{ ''.__class__.__mro__ }}": "unsafe",
    "{{ cycler.__init__.__globals__.os.popen('id').read() }}": "unsafe",
    "{{ messages.append(1) }}": "unsafe",
    "{% if": "unexpected",
    "{{ messages[9]['content'] }}": "no element 9",
}


@pytest.mark.parametrize("template", HOSTILE)
def test_a_hostile_template_ends_in_a_sentence(template: str) -> None:
    why = chat.problem({"template": template, "marks": MARKS})
    assert HOSTILE[template] in why and "\n" not in why
    assert not chat.problem({"template": CHATML, "marks": MARKS})


def test_a_model_with_such_a_template_comes_without_it(tmp_path: Path) -> None:
    saved("llama", tmp_path / "there")
    (tmp_path / "there" / "chat_template.jinja").write_text("{% include 'a' %}")
    about = imported.store(str(tmp_path / "there"), tmp_path / "run").note["checkpoint"]
    assert about["chat"] is False
    assert about["notes"][-1].startswith("Its chat template can't be used: the model's chat")


def test_a_run_of_before_talks_where_a_template_lies_in_its_folder(
    talking: Any, tmp_path: Path
) -> None:
    """As imports of GGUF files were, whose run.json says nothing of it."""
    _, run, _ = talking
    note = dict(run.note)
    note["checkpoint"] = {k: v for k, v in note["checkpoint"].items() if k != "chat"}
    assert not Run(tmp_path, note).talks
    (tmp_path / TEMPLATE).write_text(CHATML)
    assert Run(tmp_path, note).talks and run.talks
    assert not Run(tmp_path, {**note, "checkpoint": {**note["checkpoint"], "chat": False}}).talks
