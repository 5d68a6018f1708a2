"""Sentence classifier: which phrases decide what a sentence is, and who looks for them?"""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try

LESSON = Lesson(
    id="textcnn",
    era="Recurrence",
    title="Sentence classifier",
    question="Which phrases decide what a sentence is, and who looks for them?",
    model="textcnn",
    example="The acting is superb, but the plot is a boring mess and a waste of time",
    tries=(
        Try(
            "The acting is superb, but the plot is a boring mess and a waste of time",
            "Which phrase fires which filter? What would the answer be without the strongest?",
        ),
        Try(
            "The plot is a boring mess and a waste of time, but the acting is superb",
            "The same phrases in another order: max pooling forgets where they stood.",
        ),
        Try(
            "one of the best films of the year",
            "Cut a word in the middle: do the filters still find their phrase?",
        ),
        Try(
            "not bad at all",
            "Three words that mean the opposite of one of them. Does any filter know that?",
        ),
    ),
    sources=(
        "Kim, Convolutional Neural Networks for Sentence Classification, 2014",
        (
            "Collobert, Weston, Bottou, Karlen, Kavukcuoglu & Kuksa, Natural Language "
            "Processing (Almost) from Scratch, 2011 (max over time)"
        ),
        (
            "Zhang & Wallace, A Sensitivity Analysis of (and Practitioners' Guide to) "
            "Convolutional Neural Networks for Sentence Classification, 2015"
        ),
        "Pang & Lee, A Sentimental Education, 2004 (the reviews)",
    ),
    differs="The notes show convolution over a grey picture, with one channel. Here every number of a word's "
    "vector is a channel, and a filter has weights for all of them, as over a colour picture.\n"
    "They say that pooling keeps what is important; max pooling keeps what is largest, and which filter that helps "
    "is learned behind it.",
    minutes=15,
    before=("convolution",),
    subtitle="convolution over words",
    minute=(
        Step(
            "Negative, 98.7 %. Framed is what each filter matches best; “plot is a boring mess” adds most.",
            text="The acting is superb, but the plot is a boring mess and a waste of time",
            panel="phrases",
        ),
        Step(
            "It stays negative, 99.5 %: max pooling keeps the best match of each filter and forgets where it stood.",
            text="The plot is a boring mess and a waste of time, but the acting is superb",
            panel="phrases",
            asks="Praise now comes last. What happens to the answer?",
            choices=("it turns positive", "it stays negative"),
            covers=("part-what-a-filter-looks-for",),
        ),
        Step(
            "Without filter 74, the strongest, it would still be 98.3 %: other filters have found the same phrase.",
            text="The acting is superb, but the plot is a boring mess and a waste of time",
            panel="phrases",
        ),
        Step(
            "“bad at all” pulls, “not” hardly: negative, 70 %. What turns a word round it has not learned.",
            text="not bad at all",
            panel="phrases",
        ),
    ),
    topics="""
phrases | Sentence classifier by convolution | foundations N36
    Which phrase fires which filter, the best match of each, and what it adds to the class.
    TextCNN, Kim CNN, text classification, 1-D convolution, convolution over words
phrases | Max pooling over time | foundations N43
    Of all places of a sentence the one that matches a filter best, framed; the others do not count.
    global max pooling, max over time, max-over-time pooling
part-what-a-filter-looks-for | Channels of a convolution | foundations N38
    Each number of a word's vector is a channel: one filter, its weight for each, every product.
    multi-channel convolution, input channels, depth of a filter
""",
)
