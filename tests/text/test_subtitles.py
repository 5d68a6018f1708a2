"""Subtitles of all forms say what is said: the standards' own rules, worked out by hand."""

from __future__ import annotations

import time

from engine.text.documents import read
from tests.conftest import together

EVENTS = """[Script Info]
ScriptType: v4.00+

[V4+ Styles]
Format: Name, Fontname
Style: Default,Arial

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Dialogue: 0,0:00:05.00,0:00:06.00,Default,,0,0,0,,{\\k20}La {\\kf30}la, {lips}land.
Dialogue: 0,0:00:01.00,0:00:02.00,Default,Ann,0,0,0,,{\\an8}{\\i1}Where are you?{\\i0}
Comment: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,no
Dialogue: 1,0:00:03.00,0:00:04.00,Default,,0,0,0,,That was\\Na year,\\na\\hlong one.
Dialogue: 0,0:00:03.00,0:00:04.00,Default,,0,0,0,,{\\blur3}That was\\Na year,\\na\\hlong one.
Dialogue: 0,0:00:07.00,0:00:08.00,Default,,0,0,0,,{\\p1}m 0 0 l 100 0{\\p0}
"""
ROLLING = """WEBVTT
Kind: captions

00:00:00.160 --> 00:00:03.429 align:start position:0%
\x20
hello,<00:00:00.960><c> do</c><00:00:01.520><c> your</c><00:00:02.159><c> birds</c>

00:00:03.429 --> 00:00:03.439 align:start position:0%
hello, do your birds
\x20

00:00:03.439 --> 00:00:05.749 align:start position:0%
hello, do your birds
sing<00:00:03.759><c> at</c><00:00:04.000><c> night?</c>
"""
VTT = """WEBVTT - A talk

STYLE
::cue { color: red }

REGION
id:one

opening
00:01.000 --> 00:02.000 line:0
<v Ann Lee>Hello &amp; <c.yellow.bg_blue>welcome</c>

NOTE
a comment
of two lines

00:03.000 --> 00:04.000
<v.loud Bob><lang en>you</lang> who read <ruby>漢<rt>kan</rt></ruby>.</v>

2
00:05.000 --> 00:06.000
<00:05.100>One <00:05.500>two.
"""
CUE = "1\n00:00:01,000 --> 00:00:02,000\n"


@together(
    ("name", "text", "lines", "count"),
    [
        ("a.vtt", ROLLING, ["hello, do your birds sing at night?"], 3),
        ("a.vtt", VTT, ["Hello & welcome", "you who read 漢.", "One two."], 3),
        ("a.srt", VTT, ["Hello & welcome", "you who read 漢.", "One two."], 3),
        ("a.ass", EVENTS, ["Where are you?", "That was a year, a long one.", "La la, land."], 5),
        (
            "a.ssa",
            "[Events]\nFormat: Marked, Start, End, Name, Text\n"
            "Dialogue: Marked=0,0:00:01.00,0:00:02.00,NTP,One,\\ntwo.\n",
            ["One, two."],
            1,
        ),
        (
            "a.srt",
            f"{CUE}{{\\an8}}Where\\Nare\\hyou?\n\n00:00:03,000-->00:00:04,000\n1984\n\n"
            "3\n0:0:5.5 --> 0:0:6\nwas <b>a</b> year. 5 < 6\n",
            ["Where are you?", "1984 was a year. 5 < 6"],
            3,
        ),
        (
            "a.sub",
            "{1}{1}25.000\n{25}{50}{y:i}Where are|you?\n{75}{100}♪ Here ♪\n",
            ["Where are you?", "♪ Here ♪"],
            2,
        ),
        (
            "a.lrc",
            "[ti:A song]\n[ar:Nobody]\n[00:12.00]First line\n[00:15.30][00:45.10]<00:15.3>Second\n",
            ["First line", "Second"],
            2,
        ),
    ],
)
def test_what_is_said_is_read(name: str, text: str, lines: list[str], count: int) -> None:
    for raw in (text.encode(), text.replace("\n", "\r\n").encode("utf-16")):
        [piece] = read(name, raw)
        assert piece.text.splitlines() == lines and piece.kind == "subtitles"
        assert f"numbers and times of {count} subtitle{'s' * (count > 1)} left out" in piece.notes
        assert any("while they roll" in note for note in piece.notes) == (text == ROLLING)
        assert not any("was read as one" in note for note in piece.notes)


def test_their_form_is_known_whatever_they_are_called() -> None:
    for text in (VTT, EVENTS, CUE + "One.\n", "00:01.000 --> 00:02.000\nOne.\n", "{1}{9}One.\n"):
        [piece] = read("a.txt", text.encode())
        assert piece.kind == "subtitles" and "-->" not in piece.text and "," not in piece.text[:4]
    assert read("a.txt", b"WEBVTTS are files.\n")[0].kind == "plain"


def test_captions_roll_in_both_ways_and_what_is_said_twice_stays() -> None:
    times = [f"00:0{n}.000 --> 00:0{n + 1}.000" for n in range(6)]
    rows = ["one two", "one two\nthree four", "three four\nfive six", "five six\nseven."]
    words = ["one", "one two", "one two three", "one two three four."]
    twice = ["No.", "No.", "Never.", "No."]
    for shown, lines in (
        (rows, ["one two three four five six seven."]),
        (words, ["one two three four."]),
        (twice, twice),
    ):
        cues = "".join(f"{at}\n{one}\n\n" for at, one in zip(times, shown, strict=False))
        assert read("a.vtt", f"WEBVTT\n\n{cues}".encode())[0].text.splitlines() == lines
    apart = "".join(f"00:{n}0.000 --> 00:{n}1.000\nla la\nla la\n\n" for n in range(1, 5))
    assert read("a.vtt", f"WEBVTT\n\n{apart}".encode())[0].text == " ".join(["la la"] * 8) + "\n"


def test_a_passage_ends_with_its_speaker() -> None:
    said = "".join(
        f"00:0{n}.000 --> 00:0{n}.500\n<v {who}>{what}\n\n"
        for n, (who, what) in enumerate((("Ann", "I think"), ("Ann", "so"), ("Bob", "and I")), 1)
    )
    assert read("a.vtt", f"WEBVTT\n\n{said}".encode())[0].text == "I think so\nand I\n"


def test_endless_lines_take_no_time() -> None:
    begun = time.process_time()
    head = "[Events]\nDialogue: 0,0:0:1,0:0:2,,,,,,,"
    for raw in (
        head + "{\\p1" * 100_000 + "x",
        head + "x" + "{\\p1}" * 100_000,
        "[Events]\nFormat: Start, End, Text" + ", a" * 50_000 + "\nDialogue: 0:0:1,0:0:2,x" * 100,
        f"{CUE}{'[00:01.00]' * 50_000}",
        f"{CUE}{'<rt>' * 50_000}<{'a' * 50_000}",
    ):
        assert read("a.srt", raw.encode())[0].text
    assert read("a.lrc", b"[00:01.00]" * 50_000 + b"x")[0].text == "x\n"
    assert time.process_time() - begun < 3
