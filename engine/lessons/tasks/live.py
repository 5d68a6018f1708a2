"""The live part: one text through one body, and what each head makes of it; the body frozen, and tuned along with all
heads.

Shapes    T = tokens, W = ways to make one vector of a text, B = bodies: frozen, tuned
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.analysis import task_heads as store
from engine.core.trace import Trace
from engine.frame import picture as pic
from engine.lessons.tasks import reading
from engine.lessons.tasks.examples import LABELS
from engine.models.bert import Bert

BODIES = ("body frozen", "body tuned along")
WAYS = ("raw [CLS]", "pooled [CLS]", "mean of all")
WANTED = "Type a sentence."
PAIR = "A question needs a passage: type the question, a line end, and the passage."


def once(model: Bert) -> pic.Once:
    return pic.Once(
        {"body": BODIES, "way": WAYS, "tag": store.shipped().names, "label": LABELS},
    )


def derive(model: Bert, trace: Trace, asks: Mapping[str, object]) -> pic.Derived:
    read = reading.read_bodies(model, trace.field("residual").values)
    counted_T = reading.find_counted(model, trace.ids, trace.tokens)
    found = reading.answers(model, trace.ids, counted_T, read)
    answer = reading.find_answer(found["inside"][1])
    mean = found["class"][1][-1, -1], found["pair"][1][-1, -1]
    return {
        **found,
        "answer": (("slot",), answer),
        "counted": (("token",), counted_T),
        "label": ((), mean[0] > 0.5),
        "label.p": ((), max(mean[0], 1 - mean[0])),
        "tokens": ((), len(trace.ids)),
        "width": ((), model.config.width),
        "pair.p": ((), mean[1]),
    }


def compare(field: str, sign: str) -> pic.Columns:
    """A bar for each way to make one vector, of each body."""
    return pic.Columns(
        pic.Rows("way"),
        (
            pic.Column("Body frozen", f"{field}[body=0]", (sign,), "line-1"),
            pic.Column("Body tuned along", f"{field}[body=1]", (sign,), "accent"),
        ),
    )


def each(field: str) -> dict[str, pic.Series]:
    """The numbers of each way, of either body."""
    names = {name: f"{{{field}[body={n}]:%}}" for n, name in enumerate(store.BODIES)}
    return {name: pic.Series("way", "{way:called} " + of, ", ") for name, of in names.items()}


HEADS = pic.Picture(
    "heads",
    pic.Boxes(
        (
            pic.Box("text", 0.1, 0.5, ("Text",)),
            pic.Box("body", 0.42, 0.5, ("BERT", "{tokens} × {width:n}"), True),
            pic.Box("class", 0.86, 0.1, ("Class", "{label:label}", "{label.p:%}"), True),
            pic.Box("tag", 0.86, 0.3, ("Tag", "[{tag[body=1]:tag}]", "[{tag.p[body=1]:%}]"), True),
            pic.Box("span", 0.86, 0.5, ("Span", "[{found}]"), True),
            pic.Box("pair", 0.86, 0.7, ("Pair", "[{pair.p:%}]"), True),
            pic.Box("fake", 0.86, 0.9, ("Replaced", "[{replaced[body=1]:%}]"), True),
        ),
        (
            pic.Arrow("text", "body"),
            *(pic.Arrow("body", id) for id in ("class", "tag", "span", "pair", "fake")),
        ),
        high=330,
    ),
    "One body, five heads",
    says="The text passes through BERT once, which gives a vector for each token, marks included. Each head is one"
    " small matrix that reads these vectors and answers its own question.",
    tell=(
        "Class: {label:label}, {label.p:%}. “{token}”[ is tagged {tag[body=1]:tag}, and] was put there by another"
        " model with {replaced[body=1]:%}.[ The passage answers the question with {pair.p:%}: “{found}”.]",
        "Class: {label:label}, {label.p:%}.[ The passage answers the question with {pair.p:%}: “{found}”.]"
        " Point at a word for its tag.",
        WANTED,
    ),
    parts={"found": pic.Series("slot", "{answer:token}", " ")},
)
CLASS = pic.Picture(
    "class",
    compare("class", "positive"),
    "Class: is it a good review?",
    says="The probability of “positive”. Three ways to make one vector of the text: the vector at [CLS] as it is;"
    " pooled, which is tanh(W [CLS] + b) with the matrix that BERT learned for pairs of sentences;"
    " and the mean of all tokens.",
    tell=(
        "Body frozen: {frozen}. Body tuned along: {tuned}.",
        WANTED,
    ),
    side="left",
    parts=each("class"),
    table=pic.table(
        "way",
        "vector: {way} | positive, body frozen: {class[body=0]:%} | positive, body tuned: {class[body=1]:%}",
    ),
)
ANSWERED = pic.Picture(
    "pair",
    compare("pair", "answered"),
    "Pair: does the passage answer the question?",
    says="Two texts with a mark between them, one answer: the probability that the second holds the answer to the"
    " first.",
    tell=("Body frozen: {frozen}. Body tuned along: {tuned}.", PAIR),
    side="right",
    parts=each("pair"),
    table=pic.table(
        "way",
        "vector: {way} | answered, body frozen: [{pair[body=0]:%}] | answered, body tuned: [{pair[body=1]:%}]",
    ),
)
TAGS = pic.Picture(
    "tags",
    pic.Lanes(
        (
            pic.Lane("Token", "{token:short}", strong=True),
            pic.Lane("Body frozen", "[{tag[body=0]:tag}]", mark="tag[body=0]!=tag[body=1]"),
            pic.Lane("", "[{tag.p[body=0]:%}]"),
            pic.Lane("Body tuned", "[{tag[body=1]:tag}]", strong=True),
            pic.Lane("", "[{tag.p[body=1]:%}]"),
        ),
    ),
    "Tags: what kind of word is each?",
    says="One answer a word, at its first piece. Marks and the other pieces have the target −100: they count neither in"
    " the loss nor in the result, and get no answer here.",
    tell=(
        "“{token}”: body frozen {tag[body=0]:tag} {tag.p[body=0]:%}, body tuned {tag[body=1]:tag}"
        " {tag.p[body=1]:%}.",
        "“{token}” does not count: a mark and a later piece of a word have the target −100.",
        WANTED,
    ),
    table=pic.table(
        "token",
        "token: {token} | tag, body frozen: [{tag[body=0]:tag}] | probability: [{tag.p[body=0]:%}]"
        " | tag, body tuned: [{tag[body=1]:tag}] | its probability: [{tag.p[body=1]:%}]",
    ),
)
SPAN = pic.Picture(
    "span",
    pic.Over(
        (
            pic.Line(
                "first[body=0]", "line-1", "first token, body frozen (dashed)", 1.5, dashes=(4, 4)
            ),
            pic.Line(
                "last[body=0]", "line-2", "last token, body frozen (dashed)", 1.5, dashes=(4, 4)
            ),
            pic.Line("first[body=1]", "line-1", "first token, body tuned", 2.5, 3),
            pic.Line("last[body=1]", "line-2", "last token, body tuned", 2.5, 3),
        ),
        scale="share",
        widest=74,
        now="rule",
    ),
    "Span: where does the answer stand?",
    says="Two numbers for each token of the passage: does the answer begin here, does it end here? The answer is the"
    " span with the largest product of the two, of at most 20 tokens.",
    tell=(
        "The answer: “{found}”. At “{token}”: begins here {first[body=1]:%}, ends here {last[body=1]:%}; with the body"
        " frozen {first[body=0]:%} and {last[body=0]:%}.",
        "The answer: “{found}”. “{token}” is not in the passage: it begins and ends here with 0 %.",
        "The answer: “{found}”. The passage answers the question with {pair.p:%}.",
        PAIR,
    ),
    parts={"found": pic.Series("slot", "{answer:token}", " ")},
    table=pic.table(
        "token",
        "token: {token} | begins, body frozen: [{first[body=0]:%}] | ends, body frozen: [{last[body=0]:%}]"
        " | begins, body tuned: [{first[body=1]:%}] | ends, body tuned: [{last[body=1]:%}]",
    ),
)
REPLACED = pic.Picture(
    "replaced",
    pic.Over(
        (
            pic.Line("replaced[body=0]", "line-1", "body frozen (dashed)", 1.5, 2, (4, 4)),
            pic.Line("replaced[body=1]", "accent", "body tuned along", 2.5, 3),
        ),
        scale="share",
        widest=74,
        now="rule",
    ),
    "Replaced: which word does not belong?",
    says="How likely it is that another model put a token there in place of the original: the task of ELECTRA. The game"
    " below has such texts.",
    tell=(
        "“{token}”: body frozen {replaced[body=0]:%}, body tuned {replaced[body=1]:%}.",
        "“{token}” is a mark, which nobody replaces: its target is −100.",
        WANTED,
    ),
    table=pic.table(
        "token",
        "token: {token} | replaced, body frozen: [{replaced[body=0]:%}] | replaced, body tuned:"
        " [{replaced[body=1]:%}]",
    ),
)

LIVE = pic.Live(
    (),
    (HEADS, CLASS, ANSWERED, TAGS, SPAN, REPLACED),
    once,
    derive,
    also=("residual",),
    places={"way": pic.Place("way")},
    top="",
    most=420,
)
