"""What a memory keeps: stories in which an early word decides a later one, and the unit that keeps it."""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try

TEXTS = (
    "The cats, which had been missing for days and had the entire neighborhood searching everywhere, finally returned"
    " home and",
    "Jane, who was born in France but moved to Canada as a child, speaks fluent French with a slight",
)
CATS, JANE = TEXTS

LESSON = Lesson(
    id="stories",
    era="Recurrence",
    title="What a memory keeps",
    question="Which unit keeps an early word, and what would forgetting it cost?",
    model="lstm",
    also=("gru_after", "rnn"),
    opens="lstm_stories",
    true_of=("lstm_stories",),
    example="I grew up in France. Later the red clock hung by the station. I speak fluent",
    tries=(
        Try(
            "Mary was born in Ireland but moved to Canada as a teenager. She speaks with a slight",
            "“Irish”, 99.4 %. Type “child” for “teenager”: “Canadian”, 99.8 %. Unit 101 carries both.",
        ),
        Try(
            "The rate is five percent. On Monday the price rose by three percent. On Tuesday the price fell by six"
            " percent. The rate is still",
            "Three numbers, and only the first one matters: “five”, 94.7 %.",
        ),
        Try(
            "The film was not bad. That day the old lamp stood near the window. The review is",
            "“positive”, 99.6 %: with “so” for “not” it falls to 14 %.",
        ),
        Try(
            "Tomorrow will be sunny with a high of 75°F. Last year it was snowy. So tomorrow take your",
            "“sunny” decides, “snowy” does not. The unit that carries it lets go soon: 0.05 % of what it held is left,"
            " and others have it by then.",
        ),
        Try(
            "In the second chapter a man called Edward came to the village. They read about Canada. In the last chapter"
            " they see him again. It is",
            "Choose the GRU or the Elman net above, and compare.",
        ),
    ),
    sources=(
        "Hochreiter & Schmidhuber, Long Short-Term Memory, 1997",
        "Linzen, Dupoux & Goldberg, Assessing the Ability of LSTMs to Learn Syntax-Sensitive Dependencies, 2016",
        "Lakretz et al., The Emergence of Number and Syntax Units in LSTM Language Models, 2019",
        "Vig et al., Investigating Gender Bias in Language Models Using Causal Mediation Analysis, 2020",
    ),
    differs="The notes tell these stories of any LSTM. Four small nets have learned them here, from 40,000 stories of a"
    " grammar. Of nets that read novels the LSTM remembers 2 of 30, the Transformer 14.\n"
    "At “bank” no gate can know that “deposit money” will follow, for the network reads forwards. What it can do is to"
    " know it afterwards: so the story goes on here, to a cashier or a heron.\n"
    "In the notes’ example of Jane the last country named is Germany too, so that the answer does not show which"
    " of the two a network remembers. Here she is asked where she returned to, after France was named.\n"
    "The notes keep 90 % of John and 10 % of New York. Both are asked for later here, so the net keeps both; how much"
    " of a memory is left is measured below.\n"
    "They give each gate one role. A word lies in several units here, each with gates of its own.",
    minutes=15,
    before=("lstm",),
    minute=(
        Step(
            "“France” decides: with “Germany” in its place, “French” falls from 99.8 % to nearly nothing, a sentence"
            " later.",
            text="I grew up in France. Later the red clock hung by the station. I speak fluent",
            panel="decides",
        ),
        Step(
            "Unit 15, almost alone: with what it holds after another subject, “were” loses 20 bits, as with all 128.",
            text=CATS,
            panel="carrier",
            asks="“were” must follow. How many of the 128 units keep that the cats are many?",
            choices=("one, almost alone", "about ten", "all of them"),
            covers=("carriers", "forgets"),
        ),
        Step(
            "Set to 0 after “neighborhood”, unit 15 alone turns the answer round: “was” is 11 bits ahead of “were”.",
            text=CATS,
            panel="forgets",
        ),
        Step(
            "“Canada”, though “France” stands there too: with another country for it, “Canadian” costs 8.8 bits more.",
            text=JANE,
            panel="decides",
            asks="Two countries stand in the text. Which one decides her accent?",
            choices=("Canada", "France", "both"),
            covers=("next", "carrier", "carriers", "forgets", "its-gates"),
        ),
    ),
    links=(
        ("lstm", "All gates and units of the same net", "run=lstm_stories"),
        ("heads", "Where the Transformer of stories looks", "run=transformer_stories"),
    ),
    topics="""
decides | Exchanging an early word | lstm D01 D02 D15
    Each early word is exchanged for another of its kind, and the text read again: what the next word then costs.
    I grew up in France, I speak fluent French; Jane grew up in Germany; counterfactual; minimal pair;
    long-term dependency examples
carrier | The unit that keeps a word | lstm D03 D06 D07 D08 D10 D14 D29 C22
    The memory of the unit that carries the early word, beside the same after another word.
    the cat, which had been missing; John moved from New York to Boston; Jane visited Paris; object tracking
its-gates | When the gate of a unit closes | lstm D09 D11 D24 D25
    The gates of that unit over the text, where it forgets most, and how much is left.
    Irish accent; sunny with a high of 75; interest rate and daily noise; pause in speech
forgets | What forgetting costs | lstm D27
    The memory is set to 0 after each token, and the text read on.
    childhood illness, patient history, ablation over time
part-does-it-remember | Sentences that explain a memory, measured | lstm D04 D05 D12 D13 D16 D17 D18 D21
    Thirty sentences and four nets: right or not, in bits; and what models of novels remember of them.
    bank, deposit money; river bank; not bad; the service was good but; sick beats; I'll meet you at the;
    does an LSTM really remember
part-how-far-does-it-remember | Right answers by distance | lstm D29
    New stories with none to sixteen sentences between, read by four nets.
    long lag, memory span, vanishing memory of a plain recurrent net
part-what-do-the-gates-of-the-lstm-do | Gates of the unit that carries a word | lstm D07 D10
    For each story how far its input gate opens, how much is left, and where it lets go.
    forget gate closes, input gate opens
""",
)
