"""Words and characters against the standard's own break tests, against sentences cut by hand, and of
old tokenizers; and whatever counts or shortens them."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.core.registry import preparations
from engine.lessons.bag import words as bag
from engine.ngram.spelling import is_one_edit
from engine.text import segmentation as cut
from engine.text.collection.frequencies import frequencies
from engine.text.collection.scan import characters, scan
from engine.text.collection.statistics import measure
from engine.text.tokenizers.chars import Chars
from engine.text.tokenizers.words import EARLIER, Words
from engine.training import yardstick
from engine.views import theme
from engine.views.base import width_of
from tests.conftest import together
from tests.text import sentences

FOLDER = Path(__file__).parent / "unicode"
ALL = sorted(sentences.SENTENCES)
MARK = regex.compile(r"[\p{WB=Extend}\p{WB=Format}\p{WB=ZWJ}]")
TAILORED = set(".,:_'")  # of the characters that the standard's test has
LETTER = regex.compile(r"[\p{L}\p{N}]")
KEYCAP = re.compile("[0-9#*]\ufe0f?\u20e3")


def breaks(kind: str) -> Iterator[tuple[str, list[int]]]:
    """A text, and where the standard breaks it."""
    raw = gzip.decompress((FOLDER / f"{kind}BreakTest-15.0.0.txt.gz").read_bytes())
    for line in raw.decode().split("\n"):
        text, places = "", []
        for part in line.partition("#")[0].split():
            if part == "÷":
                places.append(len(text))
            elif part != "×":
                text += chr(int(part, 16))
        # of Unicode 16 on ✁ is no emoji
        if text and "\u2701" not in text:
            yield text, places


def base(text: str, at: int) -> str:
    """What stands before a place, without marks."""
    while at > 1 and MARK.match(text[at - 1]):
        at -= 1
    return text[at - 1]


def test_words_break_where_the_standard_breaks_but_at_the_tailored_signs() -> None:
    seen = 0
    for text, places in breaks("Word"):
        ours = {0, len(text), *(at for span in cut.TOKENS.spans(text) for at in span)}
        for at in ours ^ set(places):
            sides = {base(text, at), text[at - 1], text[at]}
            assert sides & TAILORED or any(map(str.isspace, sides)), (ascii(text), at)
        seen += 1
    assert seen > 1800


def test_characters_break_where_the_standard_breaks_but_at_line_ends() -> None:
    for text, places in breaks("Grapheme"):
        ours = [*accumulate(map(len, cut.clusters(text)), initial=0)]
        assert ours == places or "\r\n" in text, ascii(text)
    assert cut.clusters("a\r\nb") == ["a", "\r", "\n", "b"]


def test_plain_characters_are_cut_alike_by_both_ways() -> None:
    """The fast way of English, against the way of all scripts, for each character that it takes."""
    plain = [c for c in map(chr, range(0x110000)) if cut.is_plain(c)]
    assert len(plain) > 15_000
    text = " ".join(f"a{c}b'{c}1 {c}{c}’{c} _{c}.{c}\"" for c in plain)
    for rule in (cut.TOKENS, cut.WORDS):
        assert rule._plain.findall(text) == rule._full.findall(text)
    assert cut._CLUSTERS._full.findall(text) == list(text)
    assert EARLIER._pattern.findall(text) == cut.TOKENS._plain.findall(text)  # type: ignore[union-attr]


@together("name", ALL)
def test_sentences_are_cut_as_by_hand(name: str) -> None:
    text, words = sentences.text(name), sentences.words(name)
    assert cut.TOKENS.findall(text) == words
    spoken = [w for w in words if LETTER.match(w) and not KEYCAP.fullmatch(w)]
    assert cut.WORDS.findall(text) == spoken
    # joined they are the text; between them stands nothing but blanks
    at = 0
    for (start, stop), word in zip(cut.TOKENS.spans(text), words, strict=True):
        assert text[start:stop] == word and not text[at:start].strip()
        at = stop
    assert at == len(text) and "".join(cut.clusters(text)) == text
    if name in sentences.CHARACTERS:
        assert cut.clusters(text) == sentences.characters(name)


@together("name", ALL)
def test_tokenizers_bags_and_counts_take_the_same_words(name: str) -> None:
    text, words = sentences.text(name), sentences.words(name)
    tokenizer = Words.fit([text], 100)
    tokens = tokenizer.encode(text)
    assert list(tokens.labels) == words and not tokens.unknown
    assert tokenizer.ids([text])[0].tolist() == tokens.ids.tolist()
    again = Words.from_state(tokenizer.state())
    assert again.encode(text).labels == tokens.labels and again.state() == tokenizer.state()
    assert again.encode(again.decode(tokens.ids)).labels == tokens.labels
    letters = Chars.fit([text], 1000)
    tokens = letters.encode(text)
    assert list(tokens.labels) == cut.clusters(text) and not tokens.unknown
    assert letters.decode(tokens.ids) == text
    assert Chars.from_state(letters.state()).encode(text).labels == tokens.labels

    spoken = cut.WORDS.findall(text)
    assert scan(text).words == len(spoken)
    assert scan(text).lengths["word"].total == sum(len(cut.clusters(w)) for w in spoken)
    small = cut.WORDS.findall(text.lower())
    assert frequencies(text).tokens == len(spoken) and frequencies(text).types == len(set(small))
    assert bag.words(text) == [w.replace("’", "'") for w in small]
    found = measure(text)
    assert found.characters == len(cut.clusters(text))
    assert found.alphabet == len(set(cut.clusters(text)))


SIGNS = "ab é'’1_ .。!\"\n中国ひカタកำที่ಕನ್ರ್ដ្ឋា\u0301\u200d\u200b🛑🇩🇪א\u1100\u1161\u0600"


@settings(max_examples=300, deadline=None)
@given(st.text(st.sampled_from(SIGNS), max_size=30))
def test_every_sign_that_is_not_blank_is_in_one_word_or_sign(text: str) -> None:
    at = 0
    for start, stop in [*cut.TOKENS.spans(text), (len(text), len(text))]:
        assert at <= start and not text[at:start].replace("\u200b", "").strip()
        at = stop
    assert [text[a:b] for a, b in cut.TOKENS.spans(text)] == cut.TOKENS.findall(text)
    assert "".join(cut.clusters(text)) == text
    lines = [word for line in text.split("\n") for word in cut.WORDS.findall(line)]
    assert cut.WORDS.findall(text) == lines and scan(text).words == len(lines)


@together("sign", ["\u0301", "🇩", "1\u20e3", 'אְ"', "👩\u200d", "e\u0301'", "กำ"])
def test_a_hundred_thousand_of_a_sign_take_no_time(sign: str) -> None:
    text = "e" + sign * 100_000  # \X alone takes a minute for the halves of flags
    for found in (cut.TOKENS.findall(text), cut.PIECES.findall(text), cut.clusters(text)):
        assert "".join(found) == text


def test_scripts_without_blanks_are_told() -> None:
    told = [name for name in ALL if cut.unspaced(sentences.text(name))]
    assert told == ["Burmese", "Chinese", "Japanese", "Khmer", "Lao", "Thai"]
    assert measure(sentences.text("Thai")).notes == (cut.UNSPACED,)
    assert measure(sentences.text("Telugu")).notes == ()


def test_old_tokenizers_read_as_they_learned() -> None:
    # of code points, with marks among them
    old = Chars.from_state(json.dumps(sorted("నే ను")).encode())
    assert old.encode("నేను").labels == ("న", "ే", "న", "ు") and not old.encode("నేను").unknown
    assert json.loads(old.state()) == sorted("నే ను")
    # of letters that never join: nothing speaks against whole characters
    english = Chars.from_state(json.dumps(sorted("cafe 中ا")).encode())
    assert english.encode("cafe\u0301 ก็中").labels == ("c", "a", "f", "e\u0301", " ", "ก็", "中")
    # words with pieces of words among them, as they were cut before
    state = {"lowercase": False, "words": ["న", "ే", "今日は"]}
    old_words = Words.from_state(json.dumps(state).encode())
    assert old_words.encode("నే 今日は").unknown == ()
    assert old_words.decode(old_words.encode("నే 今日は").ids) == "న ే 今日は"
    assert json.loads(old_words.state()) == state
    state = {"lowercase": True, "words": ["the", "naïve", "“", "Привет"]}
    new = Words.from_state(json.dumps(state).encode())
    assert new.encode("The కలుసుకున్నారు 🇩🇪").labels == ("The", "కలుసుకున్నారు", "🇩🇪")


@together("name", ["Telugu", "Hindi", "Thai", "Hebrew", "Arabic", "Burmese", "Japanese"])
def test_vowels_are_no_accents(name: str) -> None:
    text = sentences.text(name) + "が"
    assert preparations.get("unicode").apply(text, "accents").after == text


def test_accents_go_from_latin_greek_and_cyrillic() -> None:
    done = preparations.get("unicode").apply("cafe\u0301 naïve Άλφα Ёж मैं", "accents")
    assert done.after == "cafe naive Αλφα Еж मैं"
    assert [c.was for c in done.changes if not c.kept] == ["e\u0301", "ï", "Ά", "Ё"]


def test_preparation_takes_whole_characters() -> None:
    def made(step: str, text: str, choice: str = "") -> str:
        return preparations.get(step).apply(text, choice).after

    assert made("tokens", "मैं हूँ।दूध") == "मैं हूँ । दूध"
    assert made("tokens", "ฉันดื่มน้ำ!!") == "ฉั น ดื่ ม น้ำ !!"
    assert made("tokens", "می‌نوشم, well-known cafe\u0301s") == "می‌نوشم , well-known cafe\u0301s"
    assert made("tokens", "ok👩‍👩‍👧🇩🇪1️⃣") == "ok 👩‍👩‍👧 🇩🇪 1️⃣"
    assert made("symbols", "a 👩‍👩‍👧 🇩🇪 1️⃣ 👍🏽 b", "mark") == "a" + " <SYMBOL>" * 4 + " b"
    assert made("symbols", "🏴\U000e0067\U000e0062\U000e007f!", "remove") == "!"
    assert made("symbols", "1️⃣", "name") == ":digit_one_combining_enclosing_keycap:"
    assert made("punctuation", "हूँ। #️⃣ ok…\u0308!") == "हूँ #️⃣ ok"


def test_lengths_and_ends_are_those_of_characters() -> None:
    assert cut.first("क्षि" * 5, 2) == "क्षि" * 2 and cut.first("🇩🇪🇫🇷", 1) == "🇩🇪"
    assert theme.shorten("क्षि" * 10, 4) == "क्षि" * 3 + "…"
    assert theme.shorten("క్ష" * 4, 4) == "క్ష" * 4
    assert len(theme.shorten("e" + "\u0301" * 9000, 10)) < 60
    assert theme.visible("👩‍👩‍👧") == "👩‍👩‍👧" and theme.visible("می‌نوشم") == "می‌نوشم"
    assert theme.visible("a\u200db") == "aU+200Db"
    assert width_of("ก็") == width_of("ก") and width_of("👩‍👩‍👧") < 2 * width_of("👩")
    assert yardstick.words_of("నేను ఉదయం, don't 42") == ["నేను", "ఉదయం", "don", "t"]
    assert cut.is_word("నేను") and cut.is_word("می‌نوشم") and not cut.is_word("a1")
    assert not cut.is_word("") and not cut.is_word("\u0301a")


def test_a_letter_with_its_marks_is_one_letter_in_spelling() -> None:
    assert is_one_edit("తాగు", "తాడు") and is_one_edit("తాగుతాను", "గుతాను")
    assert is_one_edit("ताग", "तग") and not is_one_edit("తాగు", "పాడు")


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from("ab \n\u0301\u0600\u200d👩🇩🇪क\u094dषก\u0e33각\u1100"), max_size=40))
def test_characters_are_counted_as_they_are_cut(text: str) -> None:
    """Words that come again are cut once."""
    assert characters(text) == Counter(cut.clusters(text))
