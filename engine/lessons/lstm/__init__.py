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
            "Unit 69 of layer 2 of the shipped model: its memory is above 0 until a "
            "quotation opens, below −0.9 inside it, and above 0 again after it, up to the "
            "full stop. Nobody trained it to do that.",
            link="layer=1&unit=69&field=cell",
        ),
        Try(
            "The old captain looked at the sea. He was tired.",
            "Unit 267 of layer 1 adds nearly 1 with every character and forgets next to "
            "nothing: about 46 after 48 characters. It counts the characters it has read.",
            link="layer=0&unit=267&field=cell",
        ),
        Try(
            "The keys to the old cabinet w",
            "After “keys”, does the model expect “were”? The shipped model gives 71 % to "
            "“a” (was) and 17 % to “e” (were): it follows the nearest noun. Choose "
            "lstm_agreement above, which learned only from such sentences.",
        ),
        Try("aaaaaaaaaa", "A text unlike anything it has seen: watch the list of next characters."),
    ),
    sources=(
        "Hochreiter & Schmidhuber, Long Short-Term Memory, 1997",
        "Gers, Schmidhuber & Cummins, Learning to Forget, 2000 (the forget gate)",
        "Karpathy, Johnson & Fei-Fei, Visualizing and Understanding Recurrent Networks, 2015",
        "Cho et al., Learning Phrase Representations using RNN Encoder-Decoder, 2014 (the GRU)",
    ),
    differs="The notes draw one gate at a time for an imagined cell. Here each picture holds the "
    "gates of all units of a trained model, and every number is the model's own. Each gate "
    "has two biases, as in torch, not one. The notes count a remember gate; it is the sum "
    "that makes the new memory and has no weights of its own.\n"
    "They say that their use gate judges the new memory; the gate depends on the token and "
    "the previous state and does not see the new memory, unless there are peepholes. In one "
    "drawing the input goes into the memory by way of the hidden state; it goes through the "
    "gates into the memory, and from there into the hidden state.\n"
    "They call the output two steps and list three; it is h = o · tanh(c), and the output "
    "gate is set before it could see the new memory.\n"
    "They say that tanh sharpens contrasts; its slope is 1 at most, so it brings any two "
    "values closer together. At “bank” no gate can know that “deposit money” will follow, "
    "for the network reads forwards. And in their example of Jane the last country named is "
    "Germany too, so the answer does not show which of the two a network remembers.\n"
    "They call the parts learn, forget, remember and use gate, LTM and STM: learn gate is "
    "i · g, what is written (elsewhere it is another name for the input gate), remember gate the sum "
    "f · c + i · g, use gate o · tanh(c).\n"
    "They print C̃*t and h*{t−1} three times; C̃_t and h_{t−1} are meant.\n"
    "They say that an LSTM copes with irregular times between the records of a patient. It "
    "counts steps: the time between has to be read as an input.",
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
            "A mistake: “a” (was) gets 71 %, “e” (were) 17 %. It follows the nearest noun, "
            "not the subject.",
            text="The keys to the old cabinet w",
            panel="next",
            asks="The keys to the old cabinet w… Which letter does the model expect?",
            choices=("a (was)", "e (were)"),
        ),
    ),
    topics="""
gates | LSTM | rnn D1; lstm A19 A20; foundations N28 N59 S18; language_models M62 P55
    All gates and states of every unit over the text that you type.
    long short-term memory, gated RNN, gates, vanishing gradient cure
cell | Inside the LSTM cell | lstm A04 A06 A16 A19 A22; foundations S18 S21
    One step as a diagram with valves: what is kept, added and let out.
    memory cell, information flow, gating, input and output of a cell
gates | Forget gate | rnn D2; lstm A12; foundations S19 | | field=gate.forget
    How much of each memory stays, token by token; open it and read the sum.
    f_t, keep gate, forgetting
gates | Input gate and candidate | rnn D3; lstm A13 A14 A15; foundations S20 | | field=gate.input
    How much of the new content is written, and what that content is.
    i_t, candidate state, learn gate, write gate
gates | Output gate and hidden state | rnn D4; lstm A17 A18; foundations S22 | | field=gate.output
    How much of the memory is shown to the rest of the network.
    o_t, use gate, read gate, short-term memory
formula | The equations of a gate with this moment's numbers | lstm A15 A20 A21
    Every line of the step, first in signs, then in numbers, then its result.
    sigmoid, tanh, Hadamard product, concatenation, formula, step by step
unit | Short-term and long-term memory of one unit | lstm A14 A18 A23 A25
    Gates, cell state and hidden state of one unit as lines over the text.
    cell state, hidden state, dual memory, LTM, STM
part-does-it-remember | Sentences that explain a memory, measured | |
    lstm D01 D02 D03 D04 D05 D06 D07 D08 D09 D10 D11 D12 D13 D14 D15 D16 D24 D25 D26 D27 D29 C22 A32
    Seventeen sentences such as “I grew up in France”, beside what four models remember of them.
    I grew up in France, I speak fluent French; Jane, Germany; the cat, which had been missing;
    John moved from New York to Boston; bank, deposit money; long-term dependency examples;
    does an LSTM really remember
gates | GRU | rnn D6 D7 D8; foundations N59; language_models P55 | | run=gru
    Update gate, reset gate and candidate of a trained GRU over your text.
    gated recurrent unit, update gate, reset gate
gates | GRU with the reset gate after the product | rnn D6 | | run=gru_after
    The form that most libraries use, as a trained run of its own.
    torch GRU, cuDNN GRU, reset after
gates | Peephole LSTM | foundations N59 | | run=peephole
    Gates that also look at the cell state: a trained run, unit by unit.
    peephole connections, Gers, LSTM variant
gates | The LSTM of 1997, without a forget gate | foundations N59 | | run=lstm1997
    The first form, in which the memory only grows.
    original LSTM, Hochreiter, Schmidhuber, constant error carousel
gates | Coupled gates and the minimal gated unit | foundations N59 | | run=coupled
    What is forgotten makes room for what is written: cells with fewer gates.
    coupled input and forget gate, CIFG, MGU, minimal gated unit
gates | LSTM with layer normalisation | rnn E15 | | run=layernorm_lstm
    A trained run whose sums are normalised before the gates.
    layer norm, LayerNorm LSTM, normalised RNN
gates | Dual-memory cell | foundations N61 N62 N64 N65 N66 | | run=dual_memory
    Two memories with gates of their own, a short and a long one, over your text.
    STLM, short-term and long-term channels, shared candidate, spatial memory
gates | Number agreement kept in a gate | lstm C03 | | run=lstm_agreement
    A model of “is” and “are”: which unit remembers how many the subject is.
    subject-verb agreement, syntax, grammar, planted data
next | LSTM as a language model | lstm C01 C02
    What the network expects next, and what it writes.
    text generation, character model, autocomplete
- | Rewind a training | transformers L16 | | run=lstm_small
    A slider takes the model back to steps kept while it learned; every picture follows.
    time machine, training over time, earlier step, snapshots, go back in training
""",
)
