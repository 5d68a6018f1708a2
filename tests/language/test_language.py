"""Every sentence has one place, the catalogue: read from the source, known when it is filled, served to the browser."""

from __future__ import annotations

import ast
import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import HTMLResponse
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from engine import ROOT
from engine.__main__ import main
from engine.frame import blocks as fr
from engine.language import catalogue, script, source
from engine.language.catalogue import Catalogue, faults
from engine.language.message import _, pack, places, refusal, speaking, unpack, without
from engine.language.words import WORDS
from engine.live import assets
from tests.pages.opening import opened

GERMAN = catalogue.read(catalogue.FOLDER / "de.po")


def test_sentences_of_python() -> None:
    found = source.in_python(
        '"""A docstring of a module."""\n'
        "STYLE = 'body { margin: 0 auto }'\n"
        "def f(n, word):\n"
        '    """A docstring of a function."""\n'
        '    st.caption(told("{n:,} tokens" " and more", n=n), key="a key here")\n'
        '    if word == "some other thing":\n'
        '        raise ValueError(_("no word {word} in this text", word=word))\n'
        '    return {"a label": "Table", "id": "some_name"}\n'
        "def g(runs):\n"
        '    return runs[ask.pick("Model to read", runs, "key of it")], runs["some name"]\n'
    )
    english = "{n:,} tokens and more|no word {word} in this text|a label|Table|Model to read"
    assert [text for text, _ in found] == [*english.split("|"), "key of it"]
    assert found[0][1] == 5


def test_no_sentence_is_filled_before_it_is_looked_up() -> None:
    """An f-string cannot be looked up: it has to be `_("... {n:,} ...", n=n)`."""
    found = source.filled_in("say(f'{n} words of it', key=f'a {n} b')")
    assert [text for text, _ in found] == ["{0} words of it"]
    for folder in (ROOT / "engine" / "lessons", ROOT / "pages"):
        for file in sorted(folder.rglob("*.py")):
            if file.name not in ("build.py", "networks.py"):  # which write files
                assert not source.filled_in(file.read_text(encoding="utf-8")), file


def test_an_error_is_looked_up_too(ours: dict[str, str]) -> None:
    """Each place of a refusal is given, or a name of its function or its file."""
    for file in sorted((ROOT / "engine").rglob("*.py")):
        if file.relative_to(ROOT / "engine").parts[0] in ("bench", "cli", "shipped"):
            continue  # they speak English only
        written = file.read_text(encoding="utf-8")
        if "raise" not in written:
            continue
        tree = ast.parse(written)
        nodes = [*ast.walk(tree)]
        for node in nodes:
            if isinstance(node, ast.Raise) and "f'" in (said := ast.unparse(node)):
                assert not source.filled_in(said), f"{file}:{node.lineno}"
        if not any(isinstance(node, ast.Name) and node.id == "refusal" for node in nodes):
            continue
        outside = [part for part in tree.body if not hasattr(part, "body")]
        here = names([node for part in outside for node in ast.walk(part)])
        for made in (node for node in nodes if isinstance(node, ast.FunctionDef)):
            within = [*ast.walk(made)]
            known = names(within) if "refusal" in written else set()
            for node in within:
                if not (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "refusal"):
                    continue
                template = ast.literal_eval(node.args[0])
                asked = {re.split(r"[.\[]", name)[0] for name, _ in places(template)}
                given = {str(one.arg) for one in node.keywords}
                assert asked <= known | here | given, template
                assert template in ours or not source.is_sentence(template), template


def names(of: list[ast.AST]) -> set[str]:
    """Those of a function or a file, without the ones that only a comprehension knows."""
    own = [ast.walk(node.target) for node in of if isinstance(node, ast.comprehension)]
    inner = {node for nodes in own for node in nodes if isinstance(node, ast.Name)}
    hidden = {node.id for node in inner}
    found = {
        node.id
        for node in of
        if isinstance(node, ast.Name)
        and (node.id not in hidden or (isinstance(node.ctx, ast.Store) and node not in inner))
    }
    found |= {node.arg for node in of if isinstance(node, ast.arg)}
    return found | {node.asname or node.name for node in of if isinstance(node, ast.alias)}


def test_a_refusal_names_what_its_caller_calls_so() -> None:
    rows, shape, path = 1, (1, 7), Path("a/b")

    def refused(**values: Any) -> Exception:
        said = "{path.name} of {shape} has {rows|a row|rows}: {kinds}, not {kinds[0]!r}; {most:,}"
        return refusal(said, KeyError, **values)

    with pytest.raises(KeyError, match="most"):
        refused(path=path, shape=shape, rows=rows, kinds=["x"])
    error = refused(path=path, shape=shape, rows=rows, kinds=["x", "y"], most=4000)
    said = "b of [1, 7] has a row: x, y, not 'x'; 4,000"
    assert error.args == (said,) and isinstance(error, KeyError)
    assert unpack(pack(error.args[0])) == said
    error = refusal("{path.name} of {shape} has {rows|a row|rows}: {kinds}", kinds={"b", "a"})
    assert str(error) == "b of [1, 7] has a row: a, b" and isinstance(error, ValueError)


def test_an_error_in_another_one_keeps_its_language() -> None:
    inner = refusal("its weights are not whole: {name} is missing", name="/t/up/w.bin")
    folder = Path("/t/up")
    outer = refusal("the checkpoint in {folder} can't be shown: {said}", said=inner)
    said = without(str(outer), str(folder), "the upload")
    assert said == (
        "the checkpoint in the upload can't be shown: its weights are not whole: w.bin is missing"
    )
    assert Catalogue(GERMAN).say(said) == (
        "der Checkpoint in „Upload“ lässt sich nicht zeigen: die Gewichte sind unvollständig: w.bin fehlt"
    )


def test_sentences_of_javascript() -> None:
    code = (
        'import { a } from "./some file.js"; // "no sentence here"\n'
        'panel.say(`After ${short(`“${word}”`)} come ${n > 1 ? "words" : "a word"} in \\`${"b"}\\``, /"`/.test(x));\n'
        'if (kind === "not this one") node.className = "un-row un-small";\n'
        "button.title = 'Play all steps';\n"
    )
    words = [text for text, _ in source.in_javascript(code)]
    assert words == ["After {0} come {1} in `{2}`", "words", "a word", "Play all steps"]


def test_other_words_in_javascript() -> None:
    code = 'say(`${n} word${n > 1 ? "s" : ""} of ${f(`in ${m} parts`)}`, "Save", mode === "Save")'
    words = {"{0} word{1} of {2}": "aus {2}: {0} `W${1}"}
    words |= {"in {0} parts": "in {0} Teilen", "Save": "Sichern"}
    assert script.rewritten(code, lambda text: words.get(text, text)) == (
        'say(`aus ${f(`in ${m} Teilen`)}: ${n} \\`W$${n > 1 ? "" : ""}`, "Sichern", mode === "Save")'
    ).replace('${n > 1 ? "" : ""}', '${n > 1 ? "" : ""}')
    words = {"{0} word{1} of {2}": "{0} {0|Wort|Wörter}{1} von {2}"}
    assert script.rewritten("`${n} word${s} of ${m}`", words.__getitem__) == (
        '`${n} ${String(n) === "1" ? "Wort" : "Wörter"}${s} von ${m}`'
    )
    for file in sorted(assets.FOLDER.rglob("*.js")):
        text = file.read_text(encoding="utf-8")
        assert script.rewritten(text, str) == text, file


@pytest.fixture
def words() -> Catalogue:
    english = "After “{word}” come {n:,} {n|word|words} of {what}"
    of = {english: "Von {what} kommen {n:,} {n|Wort|Wörter} nach “{word}”"}
    of |= {"The next word": "Das nächste Wort", "{word} of {n:,}": "{word} von {n:,}"}
    return Catalogue(of | {"the counts": "den Zählungen", "It ends here.": "Hier endet es."})


def test_a_message_is_looked_up_before_it_is_filled(words: Catalogue) -> None:
    template = "After “{word}” come {n:,} {n|word|words} of {what}"
    after = _(template, word="of", n=7, what=_("the counts"))
    assert after == "After “of” come 7 words of the counts"
    assert words.say(after) == "Von den Zählungen kommen 7 Wörter nach “of”"
    assert words.say(str(ValueError(after))) == words.say(after), "an error is still a message"
    assert words.say(copy.deepcopy(after)) == words.say(after)
    both = after + ". " + _("It ends here.")
    assert both == f"{after}. It ends here."
    assert words.say(both) == f"{words.say(after)}. Hier endet es."
    assert words.say(_("; ").join([after, "the counts"])) == f"{words.say(after)}; den Zählungen"
    assert words.say(_("{word} of {n:,}", word="the counts", n=3000)) == (
        f"the counts von 3{catalogue.THIN}000"
    ), "what fills a place is said where it is a message"
    for own in (str(f"{after} "), "one of the most", "the next word", "", "  ", "½ of π"):
        assert words.say(own) == own


def test_what_is_drawn_is_drawn_in_a_language(words: Catalogue) -> None:
    def drawn(*names: str) -> str:
        series = {name: ([0, 1], [0.5, 0.25]) for name in names}
        chart = fr.curves("c", "The next word", series, "the counts", "value").figure().chart
        return json.dumps(chart.to_dict(), ensure_ascii=False)

    english = drawn("below", "above", "The next word")
    with speaking(Catalogue(GERMAN | words.said).word):
        small, mixed, tokens = drawn("below", "above"), drawn("below", "the"), drawn("space")
        assert "Das nächste Wort" in drawn("The next word") and '"title": "den Zählungen"' in small
    assert GERMAN["below"] in small and GERMAN["above"] in small
    assert '"below' in mixed and GERMAN["below"] not in mixed, "a token of a text stays"
    assert '"space' in tokens and "The next word" in english and "Das nächste" not in english
    assert drawn("below", "above", "The next word") == english


def test_figures_keep_their_value_and_their_thousands_stand_apart(words: Catalogue) -> None:
    thin = catalogue.THIN
    apart = f"1{thin}234.5 of 1{thin}000{thin}000, (12{thin}000)"
    assert catalogue.grouped("1,234.5 of 1,000,000, (12,000)") == apart
    for own in ("1,5", "0.5,0.3,0.2", "00:01:02,500", "1,2345", "v1,234", "1,234,5"):
        assert catalogue.grouped(own) == own
    assert words.say("4,096") == f"4{thin}096"
    template = "After “{word}” come {n:,} {n|word|words} of {what}"
    said = words.say(_(template, word="1,000", n=1, what=""))
    assert said.endswith("“1,000”"), "quoted: a text"
    told = words.tell({"tokens": ["1,000"], "rows": "1,000"})
    assert told == {"tokens": ["1,000"], "rows": f"1{thin}000"}
    thousands = Catalogue({"of 4,000 lines": "von 4,000 Zeilen"})
    assert thousands.say("of 4,000 lines") == f"von 4{thin}000 Zeilen"
    assert [*faults("half of 1,000 is .5", "0.5 von 1,000")] == []
    for wrong in ("0.5 von 1.000", "0,5 von 1,000", "0.5 von 100"):
        assert [*faults("half of 1,000 is .5", wrong)] == ["figures"]
    assert assets.WHOLE in assets.FILES["dom.js"].decode()
    assert f'{assets.WHOLE}.replaceAll(",", "{thin}")' in assets.translate("dom.js", "de").decode()


def test_what_is_sent_keeps_names_and_texts(words: Catalogue) -> None:
    word, ends = "The next word", _("It ends here.")
    told = words.tell({"title": word, "text": word, "labels": [word, ends], "n": [1, None]})
    labels = [word, "Hier endet es."]
    assert told == {"title": "Das nächste Wort", "text": word, "labels": labels, "n": [1, None]}


def test_what_a_translation_has_to_keep() -> None:
    english = "**Read** `--set` of {0}, {1} [here](a/b)\n- $x$ "
    assert not [*faults(english, "- von {1}: {0} [dort](a/b)\n$x$ `--set` **lies** ")]
    assert [*faults("{0} word{1}", "{0} {2|Wort|Wörter}{1}")] == ["the place that a word follows"]
    lost = "places, words in bold, code, formulas, links, line ends, white space around it"
    assert ", ".join(faults(english, "Lies {0} dort")) == lost


@pytest.fixture(scope="module")
def ours() -> dict[str, str]:
    return source.sentences()


def test_german_is_complete_and_keeps_what_it_has_to(ours: dict[str, str]) -> None:
    assert not [text for text in ours if text not in GERMAN], "python -m engine language de"
    assert not [text for text in GERMAN if text not in ours]
    lost = {text: [*faults(text, said)] for text, said in GERMAN.items()}
    assert not {text: what for text, what in lost.items() if what}


def test_the_command_takes_and_refuses(tmp_path: Path, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.setattr(catalogue, "FOLDER", tmp_path / "language")
    monkeypatch.setattr(source, "sentences", lambda: {"A {0} b": "a.py:1", "C d": "a.py:2"})
    (tmp_path / "es.json").write_text('{"A {0} b": "nada", "C d": "Ce de", "old one": "viejo"}')
    assert main(["language", "es", "--take", str(tmp_path / "es.json"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    refused = [{"en": "A {0} b", "said": "nada", "lost": ["places"]}]
    counts = {"language": "es", "sentences": 2, "missing": ["A {0} b"], "taken": 1}
    assert told == {**counts, "refused": refused}
    written = (tmp_path / "language" / "es.po").read_text()
    assert '#: a.py\nmsgid "A {0} b"\nmsgstr ""\n' in written
    assert '#: a.py\nmsgid "C d"\nmsgstr "Ce de"\n' in written
    assert catalogue.read(tmp_path / "language" / "es.po") == {"C d": "Ce de"}
    assert set(catalogue.languages()) == {"en"}  # one that lacks a sentence is not offered
    for wrong in ("en", "../x", "DE"):
        assert main(["language", wrong]) == 2


def test_a_file_and_a_small_word_that_is_drawn_are_said() -> None:
    name, english = "panel.js", assets.FILES["panel.js"]
    german = assets.translate(name, "de")
    assert b'"Tabelle"' in german and b'"Tabelle"' not in english
    assert assets.version("de") != assets.version()
    # No literal of one small word is drawn on a canvas; a label that is one says so, and is known.
    known = catalogue.catalogue("de")
    for name, raw in assets.FILES.items():
        code = raw.decode() if name.endswith(".js") else ""
        drawn = re.findall(r'(?:fillText\(|inside\(g, )"([a-z]{3,})"', code)
        labels = re.findall(r'\bsmall\("([^"]+)"\)', code)
        assert not drawn and all(label in WORDS and known.word(label) for label in labels), name
    assert b'"1 Zeichen"' in assets.translate("live.js", "de")


def test_a_page_names_the_files_of_its_language() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await HTMLResponse("<p>")(scope, receive, send)

    client = TestClient(assets.Preload(app, ""))
    german = client.get("/lstm?lang=de&text=a").headers["link"]
    assert f"/assets/{assets.version('de')}/live.js" in german
    for other in ("", "?lang=en", "?lang=../x", "?lang=%00", "?lang=de-de"):
        assert assets.version("de") not in client.get(f"/lstm{other}").headers["link"]


def test_a_page_in_german_and_back() -> None:
    at = opened("home", lang="de")
    assert at.header[0].value == "Unrolled"
    assert GERMAN["Lessons"] in {found.value for found in at.subheader}
    questions = {caption.value for caption in at.main.caption}
    assert GERMAN["What does the memory keep, and when does it let go?"] in questions
    chosen = at.selectbox(key="language")
    assert chosen.value == "de" and "Deutsch" in chosen.options
    chosen.set_value("en").run()
    assert at.query_params["lang"] == "en"
    for back in (at, opened("home", lang="../xx")):
        assert "Lessons" in {found.value for found in back.subheader}
    task = "Brackets: which one closes?"
    for lang, written in (("de", task), ("en", GERMAN[task])):  # a link made in the other
        at = opened("cells", lang=lang, task=written)
        assert at.selectbox(key="cells.contest.task").value == "brackets"


def test_a_guess_of_a_first_minute_is_said_where_it_is_no_token() -> None:
    german = Catalogue(GERMAN)
    told = german.tell({"choices": ["yes", "no"], "text": "no", "top": ["no"]})
    assert told == {"choices": ["ja", "nein"], "text": "no", "top": ["no"]}
    assert german.tell({"choices": ["cat", "ate"]}) == {"choices": ["cat", "ate"]}
    assert german.say("no") == "no" and german.word("both") == "both"
    assert german.say("forget gate") == "Forget-Gate"
    small = Catalogue({"right": "richtig", "Right": "Rechts"})
    words = small.word("right"), small.say("right"), small.say("Right")
    assert words == ("richtig", "right", "Rechts"), "where a label stands, and nowhere else"


def test_no_script_compares_what_it_says(ours: dict[str, str]) -> None:
    """A sentence is another one in German: what a script asks has to be a name."""
    said = {text for text in ours if " " in text}
    asked = re.compile(r'(?:[!=]==|case) "([^"]+)"')
    for file in sorted((ROOT / "assets" / "live").rglob("*.js")):
        found = asked.findall(file.read_text(encoding="utf-8"))
        assert not said & {*found}, file
