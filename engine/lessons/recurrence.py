"""Lessons on networks that carry a state from token to token."""

from __future__ import annotations

from engine.lessons.base import Lesson, Try

RECURRENCE = (
    Lesson(
        "rnn", "11_rnn.py", "Recurrence", "Recurrent net", "How does one small network read a text of any length?", "rnn",
        "The bank by the river is steep",
        (
            Try("The bank by the river is steep", "Press Fold, then Unfold. The same three matrices stand on the arrows of every step."),
            Try("la la la la", "The same letter again and again. A network without a state would answer the same each time; compare the strips."),
            Try("The cat sat on the mat", "Change a letter in the middle: what is left of it stays as it was, all that comes after changes."),
        ),
        (
            "Elman, Finding Structure in Time, 1990",
            "Mikolov et al., Recurrent Neural Network Based Language Model, 2010",
            "Werbos, Backpropagation Through Time: What It Does and How to Do It, 1990 (unfolding)",
            "Bengio, Ducharme, Vincent & Jauvin, A Neural Probabilistic Language Model, 2003 (the network over a window)",
            "Schuster & Paliwal, Bidirectional Recurrent Neural Networks, 1997",
        ),
        "The notes say that traditional networks can't use what came before: a network over a window can, as far as the window reaches. "
        "They say that the state holds everything: it has a fixed number of units, so something is lost. They say that the state at “bank” tells the "
        "two meanings apart: forwards it can't, as “Two banks, one state” shows. Their output has no softmax; to predict a token it needs one. Two biases in a layer, as in torch, here added.",
        ("ngrams",),
    ),
    Lesson(
        "lstm", "02_lstm.py", "Recurrence", "LSTM gates", "What does the memory keep, and when does it let go?", "lstm",
        'She said "yes" and went to London.',
        (
            Try('He asked "why not?" and left.', "Unit 69 of layer 2 of the shipped model: its memory is above 0 until a quotation opens, below −0.9 inside it, and above 0 behind it. "
                "Nobody asked for that.", "layer=1&unit=69&field=cell"),
            Try("The old captain looked at the sea. He was tired.", "Unit 267 of layer 1 adds nearly 1 with every character and forgets next to nothing: about 46 after 48 characters. "
                "It counts how far it has read.", "layer=0&unit=267&field=cell"),
            Try("The keys to the old cabinet w", "Keys, so were? The shipped model gives 71 % for a, was, 17 % for e, were: it goes by the noun that stands next. Choose lstm_agreement above, "
                "which learned from such sentences alone."),
            Try("aaaaaaaaaa", "A text it never saw: watch what the next-character list makes of it."),
        ),
        (
            "Hochreiter & Schmidhuber, Long Short-Term Memory, 1997",
            "Gers, Schmidhuber & Cummins, Learning to Forget, 2000 (the forget gate)",
            "Karpathy, Johnson & Fei-Fei, Visualizing and Understanding Recurrent Networks, 2015",
            "Cho et al., Learning Phrase Representations using RNN Encoder-Decoder, 2014 (the GRU)",
        ),
        "The notes draw one gate at a time for an imagined cell. Here each picture holds the gates of all units of a trained "
        "model; the numbers are the model's own. Two biases for each gate, as in torch, not one. The notes count a remember gate: it is "
        "the sum that makes the new memory and has no weights of its own. Their use gate is said to judge the new memory: its share is set by the token "
        "and the state before and doesn't see it, unless there are peepholes. They once lead the input over the hidden state into the memory: "
        "it goes through the gates into the memory, and from there into the hidden state.",
        ("ngrams",),
    ),
    Lesson(
        "surgery", "13_surgery.py", "Recurrence", "Surgery", "What happens if I hold this gate?", "lstm",
        'He asked "why not?',
        (
            Try('He asked "why not?', "Unit 69 of layer 2 of the shipped model remembers an open quotation. From the opening mark on its memory is held at 1, as if none were open: the closing "
                "mark falls from 90 % to 25 %.", "layer=1&unit=69&field=cell&edits=cell:1:69:11-:set:1"),
            Try("It was a very fine day.", "Nothing was quoted. Unit 69 is made to believe it, its memory held at −2: the shipped model now thinks of closing a quotation "
                "that never began, 13 % instead of 0.9 %.", "layer=1&unit=69&field=cell&edits=cell:1:69:1-:set:-2"),
            Try("In the spring of 1914 she wrote to her sister", "From “spring” on all forget gates are held at 0: every token is all that is remembered. The shipped model "
                "needs 115 bits for the sentence instead of 67, and what it writes falls apart.", "layer=0&unit=0&field=gate.forget&edits=gate.forget:*:*:8-:set:0"),
        ),
        (
            "Lakretz et al., The Emergence of Number and Syntax Units in LSTM Language Models, 2019 (single units switched off)",
            "Bau et al., Identifying and Controlling Important Neurons in Neural Machine Translation, 2019 (units held at a value)",
            "Karpathy, Johnson & Fei-Fei, Visualizing and Understanding Recurrent Networks, 2015 (the quotation unit)",
        ),
        "The notes say what a gate is for. Here it is tried out: what changes when a gate is held shows what it does in this model. "
        "That one unit changes an answer does not mean that it alone makes it: others may carry the same.",
        ("lstm",), first="layer=1&unit=69&field=cell&edits=cell:1:69:11-:set:1",
    ),
    Lesson(
        "memory", "12_memory.py", "Recurrence", "Memory ledger", "Who wrote what is in the memory now?", "lstm",
        'She said "yes" and went to London.',
        (
            Try(
                'He asked "why not?" and left.',
                "Unit 69 of layer 2 of the shipped LSTM: the opening mark lets go of all that was there, the letter behind it once more, and writes −1. That stays until the closing mark.",
                "layer=1&unit=69",
            ),
            Try(
                "In 1914 (before the war) he wrote",
                "Unit 151 of layer 2 of the shipped LSTM forgets most slowly of its layer: of what the year and the bracket wrote, 52 to 61 % is still there at the end.",
                "layer=1&unit=151",
            ),
            Try(
                'He asked "why not?" and left the house without a word.',
                "Unit 267 of layer 1 of the shipped LSTM: no token wrote more than 1, and yet the memory is above 51. What adds up has no bound.",
                "layer=0&unit=267",
            ),
        ),
        (
            "Hochreiter & Schmidhuber, Long Short-Term Memory, 1997, sec. 4 (the constant error carousel)",
            "Gers, Schmidhuber & Cummins, Learning to Forget, 2000 (the forget gate)",
            "Karpathy, Johnson & Fei-Fei, Visualizing and Understanding Recurrent Networks, 2015, sec. 4.2 (cells with a meaning)",
        ),
        "The notes write gates of 0.9, 0.8, 0.7 as if they were weights of older and older words: they multiply, and leave 0.9, 0.72, 0.504. "
        "They say that tanh keeps the memory from growing: it bounds what is written at a step, not the sum of all steps. They ask for an input gate near 0 "
        "so that gradients survive: a forget gate near 1 is enough, as long as one follows the memory itself and leaves aside the way through the gates.",
        ("lstm",),
    ),
    Lesson(
        "units", "14_units.py", "Recurrence", "Unit detective", "What does one unit listen to?", "lstm", "", (),
        (
            "Karpathy, Johnson & Fei-Fei, Visualizing and Understanding Recurrent Networks, 2015",
            "Strobelt, Gehrmann, Pfister & Rush, LSTMVis: A Tool for Visual Analysis of Hidden State Dynamics in Recurrent Neural Networks, 2018",
            "Benjamini & Hochberg, Controlling the False Discovery Rate, 1995",
            "Mann & Whitney, On a Test of Whether One of Two Random Variables is Stochastically Larger than the Other, 1947 (the AUC)",
        ),
        "The notes tell what a cell holds, such as the subject of a sentence, without a measurement. Here every unit is tested against every "
        "hypothesis: most tell a little of many, few tell one thing well. LSTMVis has one threshold for all units: here it is a share of each unit's own values, and low counts as much as high.",
        ("lstm",), live=False,
    ),
    Lesson(
        "cells", "15_cells.py", "Recurrence", "Compare cells", "Which cell remembers longest, and what does it cost?", "lstm", "", (),
        (
            "Bengio, Simard & Frasconi, Learning Long-Term Dependencies with Gradient Descent is Difficult, 1994",
            "Hochreiter & Schmidhuber, Long Short-Term Memory, 1997, sec. 5 (tasks with a known lag)",
            "Jozefowicz, Zaremba & Sutskever, An Empirical Exploration of Recurrent Network Architectures, 2015 (the forget bias decides)",
            "Greff et al., LSTM: A Search Space Odyssey, 2017",
            "Linzen, Dupoux & Goldberg, Assessing the Ability of LSTMs to Learn Syntax-Sensitive Dependencies, 2016 (agreement)",
        ),
        "The notes say that an LSTM remembers hundreds of steps and resists noise, and that a GRU is 30 % faster, without measurements. As torch begins it an LSTM's gradient "
        "vanishes too; the forget bias decides. Resisting noise is learned: cells trained without distractors are tested with them. Their counts are for one bias, torch's have two.",
        ("lstm",), live=False,
    ),
    Lesson(
        "shapes", "16_shapes.py", "Recurrence", "Task shapes", "What goes in, what comes out, and when?", "sentiment",
        "The acting is perfect, but the plot is dull",
        (
            Try("The acting is perfect, but the plot is dull", "Many to one: the answer turns at the last word. Walk along the dashed boxes."),
            Try("The plot is dull, but the acting is perfect", "The same words in another order, and another way through the answers. A count of words can't tell the two apart."),
            Try("Time flies like an arrow", "In step, part of speech: is “flies” a noun or a verb? Compare forwards and both ways."),
            Try("The complex houses married soldiers", "In step, part of speech: forwards “complex” has its tag before “houses” is read. Type it word by word and watch both ways."),
        ),
        (
            "Karpathy, The Unreasonable Effectiveness of Recurrent Neural Networks, 2015 (the five shapes)",
            "Schuster & Paliwal, Bidirectional Recurrent Neural Networks, 1997",
            "Sutskever, Vinyals & Le, Sequence to Sequence Learning with Neural Networks, 2014 (delayed)",
            "Petrov, Das & McDonald, A Universal Part-of-Speech Tagset, 2012",
            "Silveira et al., A Gold Standard Dependency Corpus for English, 2014 (the tagged words); Pang & Lee, A Sentimental Education, 2004 (the reviews)",
        ),
        "The notes write y_t = f(x_1 … x_n) for tags in step. In a network that reads forwards y_t depends on x_1 … x_t only; both ways it depends on all. "
        "Their tag PREP is ADP in the universal tagset. They say that one to many has no new external inputs: in practice what was written is read "
        "again, and both are shown. Their example of unequal lengths, The house is beautiful, La maison est belle, has four words on both sides.",
        ("rnn",),
    ),
)  # fmt: skip
