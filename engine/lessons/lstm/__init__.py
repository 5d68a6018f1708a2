"""LSTM gates: what does the memory keep, and when does it let go?"""

from __future__ import annotations

from engine.core.cell_card import listed
from engine.course.base import Lesson, Step, Try

LESSON = Lesson(
    id="lstm",
    era="Recurrence",
    title="LSTM gates",
    question="What does the memory keep, and when does it let go?",
    model="lstm",
    also=listed(),
    example='She said "yes" and went to London.',
    tries=(
        Try(
            'He asked "why not?" and left.',
            "Unit 69 of layer 2: its memory is above 0 until a quotation opens, and below −0.9 inside it.",
            link="layer=1&unit=69&field=cell",
        ),
        Try(
            "The keys to the old cabinet w",
            "The shipped model: “a” (was) 71 %, “e” (were) 17 %. Choose lstm_agreement above: it learned only these.",
        ),
    ),
    sources=(
        "Hochreiter & Schmidhuber, Long Short-Term Memory, 1997",
        "Gers, Schmidhuber & Cummins, Learning to Forget, 2000 (the forget gate)",
        "Karpathy, Johnson & Fei-Fei, Visualizing and Understanding Recurrent Networks, 2015",
        "Cho et al., Learning Phrase Representations using RNN Encoder-Decoder, 2014 (the GRU)",
    ),
    differs="The notes call the parts learn, forget, remember and use gate, LTM and STM: learn gate is i · g, "
    "what is written (elsewhere it is another name for the input gate), remember gate the sum f · c + i · g, "
    "which has no weights of its own, use gate o · tanh(c).\n"
    "They say that their use gate judges the new memory; the gate depends on the token and the previous state and "
    "does not see the new memory, unless there are peepholes.\n"
    "They say that tanh sharpens contrasts; its slope is 1 at most, so it brings any two values closer together.\n"
    "They say that an LSTM copes with irregular times between the records of a patient. It counts steps: the time "
    "between has to be read as an input.",
    minutes=25,
    before=("rnn",),
    minute=(
        Step(
            "Watch unit 69, which is marked: it turns blue behind the first quotation mark "
            "and stays blue until the second. Nobody trained it to do that.",
            text='He asked "why not?" and left.',
            link="layer=1&unit=69&field=cell&first=62&shown=16",
            panel="open",
        ),
        Step(
            "The same unit as curves: its forget gate f shuts at both marks, below 0.02, "
            "and so the memory starts anew there.",
            text='He asked "why not?" and left.',
            link="layer=1&unit=69&field=cell&first=62&shown=16",
            panel="unit-gates",
        ),
        Step(
            "Unit 267 of layer 1 counts characters: about 46 after 48 of them. It adds "
            "nearly 1 each time and forgets next to nothing.",
            text="The old captain looked at the sea. He was tired.",
            link="layer=0&unit=267&field=cell",
            panel="unit",
            asks="Unit 267 of layer 1 holds 46 after this text. What may it do?",
            choices=("count characters", "mark nouns", "spell"),
            covers=("cell", "formula"),
        ),
        Step(
            "A mistake: “a” (was) gets 71 %, “e” (were) 17 %. It follows the nearest noun, not the subject.",
            text="The keys to the old cabinet w",
            panel="next",
            asks="The keys to the old cabinet w… Which letter does the model expect?",
            choices=("a (was)", "e (were)"),
        ),
    ),
    links=(
        ("stories", "Sentences that explain a memory, told to nets that learned such stories", ""),
    ),
    topics="""
gates | LSTM | rnn D1; lstm A19 A20 C01 C02; foundations N28 N59 S18; language_models M62 P55
    All gates and states of every unit over the text that you type.
    long short-term memory, gated RNN, vanishing gradient cure, character model, text generation
cell | Inside the LSTM cell | lstm A04 A06 A16 A19 A22; foundations S18 S21
    One step as a diagram with valves: what is kept, added and let out.
    memory cell, information flow, gating, input and output of a cell
gates | Forget gate | rnn D2; lstm A12; foundations S19 | | field=gate.forget
    How much of each memory stays, token by token; open it and read the sum.
    f_t, keep gate, forgetting
gates | Input gate, output gate and candidate |
    rnn D3 D4; lstm A13 A14 A15 A17 A18; foundations S20 S22 | | field=gate.input
    What new content is written and how much of it; how much of the memory the network is shown.
    i_t, candidate state, learn gate, write gate, o_t, use gate, read gate, short-term memory
formula | The equations of a gate with this moment's numbers | lstm A15 A20 A21
    Every line of the step, first in signs, then in numbers, then its result.
    sigmoid, tanh, Hadamard product, concatenation, formula, step by step
unit | Short-term and long-term memory of one unit | lstm A14 A18 A23 A25
    Gates, cell state and hidden state of one unit as lines over the text.
    cell state, hidden state, dual memory, LTM, STM
gates | GRU | rnn D6 D7 D8; foundations N59; language_models P55 | | run=gru
    Update gate, reset gate and candidate of a trained GRU over your text.
    gated recurrent unit, update gate, reset gate, torch GRU, cuDNN GRU, reset after
gates | Peephole LSTM | foundations N59 | | run=peephole
    Gates that also look at the cell state: a trained run, unit by unit.
    peephole connections, Gers, LSTM variant
gates | The LSTM of 1997, coupled gates, layer norm | rnn E15; foundations N59 | | run=lstm1997
    Other cells as trained runs: without a forget gate, with fewer gates, with normalised sums.
    original LSTM, Hochreiter, constant error carousel, CIFG, MGU, minimal gated unit, LayerNorm LSTM
gates | Dual-memory cell | foundations N61 N62 N64 N65 N66 | | run=dual_memory
    Two memories with gates of their own, a short and a long one, over your text.
    STLM, short-term and long-term channels, shared candidate, spatial memory
gates | Number agreement kept in a gate | lstm C03 | | run=lstm_agreement
    A model of “is” and “are”: which unit remembers how many the subject is.
    subject-verb agreement, syntax, grammar, planted data
- | Rewind a training | transformers L16 | | run=lstm_small
    A slider takes the model back to steps kept while it learned; every picture follows.
    time machine, training over time, earlier step, snapshots, go back in training
""",
)
