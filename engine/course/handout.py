"""Hand-out: chosen lessons as one HTML page to print; questions first, answers on pages of their own.

Nothing in it is written for it: the questions are the examples of a lesson, and an answer is what the lesson
says of its example.  A lesson without examples asks for its topics.  The pictures were saved on the pages; a test
saves them again.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from html import escape
from urllib.parse import parse_qsl, urlencode

from engine import ROOT
from engine.course.base import Lesson
from engine.course.curriculum import LESSONS, MAP, lesson
from engine.course.topics import TOPICS
from engine.course.topics.places import address
from engine.language.catalogue import ENGLISH, catalogue
from engine.language.message import _

Say = Callable[[str], str]
MOST = 3  # questions of a lesson
PICTURES = ROOT / "assets" / "handout"  # <lesson id>.svg, of its first example; `make handout`
STYLE = """
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color: #1c2126; background: #fff;
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .4rem; }
h2 { font-size: 1.4rem; line-height: 1.25; margin: 0 0 .3rem; }
h3 { font-size: 1rem; margin: 1.2rem 0 .3rem; }
p, ul, ol { margin: .3rem 0; }
li { margin: .35rem 0; }
a { color: #0b6e99; overflow-wrap: anywhere; }
article, section { margin-top: 2.4rem; border-top: 1px solid #d5dbe0; padding-top: 1.4rem; }
.about { color: #5a6372; }
.typed { padding: .1rem .35rem; background: #f3f5f7; border-radius: 4px; white-space: pre-wrap;
  font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: .92em; }
.lines { height: 3.6rem; border-bottom: 1px solid #d5dbe0;
  background: linear-gradient(transparent 1.75rem, #d5dbe0 1.75rem, #d5dbe0 calc(1.75rem + 1px), transparent 0); }
figure { margin: 1.2rem 0 0; }
figure img { display: block; max-width: 100%; max-height: 22cm; margin: 0 auto; }
figcaption { color: #5a6372; font-size: .85rem; text-align: center; }
.room { height: 9rem; padding: .3rem .6rem; border: 1px dashed #a3acba; border-radius: 6px;
  color: #5a6372; font-size: .85rem; }
@page { margin: 18mm 16mm; }
@media print {
  body { margin: 0; padding: 0; max-width: none; font-size: 11pt; }
  article, section { border: none; padding: 0; margin: 0; break-before: page; }
  article:first-of-type { break-before: auto; margin-top: 1.5rem; }
  li, .lines, .room, figure { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
}
"""


@dataclass(frozen=True, slots=True)
class Question:
    """asked, answer  sentences
    typed  the text to type, where there is one
    link   address of the page with that example, or of the topic's place
    """

    asked: str
    typed: str
    answer: str
    link: str


def chosen(ids: Iterable[str]) -> list[Lesson]:
    """The lessons of these ids in the order of the course; what is no lesson is left out."""
    asked = {*ids} - {MAP.id}
    return [item for item in LESSONS if item.id in asked]


def questions(item: Lesson) -> list[Question]:
    """At most three.  An example says what to look for, a topic what one sees."""
    found = [
        Question(
            "Type it, or choose it on the page. What do you notice?",
            one.text,
            one.look,
            f"{item.id}?{urlencode({'text': one.text} | dict(parse_qsl(one.link)))}",
        )
        for one in item.tries
        if one.look
    ] or [
        Question(
            _("Find “{title}” on the page. What does it show?", title=_(topic.title)),
            "",
            topic.says,
            address(topic),
        )
        for topic in TOPICS
        if topic.lesson == item.id
    ]
    return found[:MOST]


def page(lessons: list[Lesson], place: str, language: str = ENGLISH) -> str:
    """The whole file.

    place  where the app is: "http://127.0.0.1:8501/"
    ValueError where no lesson is chosen
    """
    if not lessons:
        raise ValueError("no lesson is chosen; name some, as in ?lessons=ngrams,smoothing")
    say = str if language == ENGLISH else catalogue(language).say
    return "\n".join(_page(lessons, place, language, say))


def _page(lessons: list[Lesson], place: str, language: str, say: Say) -> Iterator[str]:
    titles = ", ".join(say(item.title) for item in lessons)
    link = f"{place}{MAP.id}?lessons={','.join(item.id for item in lessons)}"
    count = f"{len(lessons)} {'lesson' if len(lessons) == 1 else 'lessons'}"
    about = say(
        _(
            "{count}, about {minutes} minutes.",
            count=count,
            minutes=sum(item.minutes for item in lessons),
        )
    )
    yield f'<!doctype html><html lang="{language}"><head><meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{escape(titles)}: {say('hand-out')}</title><style>{STYLE}</style></head><body>"
    yield f"<header><h1>{say('Sequence models')}</h1>"
    yield f'<p class="about">{about} {say("The course online:")} {_link(link)}</p></header>'
    for item in lessons:
        yield from _lesson(item, place, say)
    yield f'<section class="answers"><h2>{say("Answers")}</h2>'
    for item in lessons:
        yield f"<h3>{escape(say(item.title))}</h3><ol>"
        for one in questions(item):
            typed = f'<span class="typed">{escape(one.typed)}</span> ' if one.typed else ""
            see = f'<a href="{escape(place + one.link)}">{say("Open it")}</a>'
            yield f"<li>{typed}{escape(say(one.answer))} {see}</li>"
        yield "</ol>"
    yield "</section></body></html>"


def _lesson(item: Lesson, place: str, say: Say) -> Iterator[str]:
    yield f"<article><h2>{escape(say(item.title))}</h2>"
    yield f"<p><strong>{escape(say(item.question))}</strong></p>"
    known = ", ".join(say(lesson(id).title) for id in item.before)
    before = f" {escape(say('Good to know before:'))} {escape(known)}." if known else ""
    about = say(_("About {minutes} minutes.", minutes=item.minutes))
    yield f'<p class="about">{about}{before} {_link(place + item.id)}</p>'
    yield f"<h3>{say('Topics')}</h3><ul>"
    asked = questions(item)
    answers = {one.answer for one in asked}
    for topic in TOPICS:
        if topic.lesson == item.id:
            says = "" if topic.says in answers else f" {escape(say(topic.says))}"
            yield f"<li><strong>{escape(say(topic.title))}.</strong>{says}</li>"
    yield f"</ul><h3>{say('Questions')}</h3><ol>"
    example = say("Example:")
    for one in asked:
        typed = f'{example} <span class="typed">{escape(one.typed)}</span> ' if one.typed else ""
        yield f'<li>{typed}{escape(say(one.asked))}<div class="lines"></div></li>'
    yield f"</ol>{_picture(item, asked[0], say)}</article>"


def _picture(item: Lesson, first: Question, say: Say) -> str:
    """A picture of its page, of the first example; room for one where the page has none."""
    file = PICTURES / f"{item.id}.svg"
    if not file.is_file():
        room = say("Room for a picture: draw it, or save one on the page")
        return f'<div class="room">{room}</div>'
    drawn = b64encode(file.read_bytes()).decode()
    words = say("What the page draws")
    if first.typed:
        words = say(_("What the page draws for “{typed}”", typed=first.typed))
    return (
        f'<figure><img src="data:image/svg+xml;base64,{drawn}" alt="{escape(words)}">'
        f"<figcaption>{escape(words)}</figcaption></figure>"
    )


def _link(address: str) -> str:
    return f'<a href="{escape(address)}">{escape(address)}</a>'
