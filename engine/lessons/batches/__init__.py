"""Lines in a batch: what does a batch of unequal lines waste, and what does a step keep in memory?"""

from __future__ import annotations

from engine.course.base import Lesson, Step


def chosen(order: str, more: str = "", lines: str = "") -> str:
    """What a step of the first minute chooses, as its address says it."""
    return f"batches.lines.lines={lines}&batches.lines.order={order}&batches.lines.size=8&batches.lines.count=16{more}"


LESSON = Lesson(
    id="batches",
    era="Your own models",
    title="Lines in a batch",
    question="What does a batch of unequal lines waste, and what does a step keep in memory?",
    model="",
    example="",
    tries=(),
    sources=(
        (
            "Khomenko et al., Accelerating Recurrent Neural Network Training Using Sequence "
            "Bucketing and Multi-GPU Data Parallelization, 2016"
        ),
        "Zaremba, Sutskever & Vinyals, Recurrent Neural Network Regularization, 2014",
        (
            "Gal & Ghahramani, A Theoretically Grounded Application of Dropout in Recurrent Neural Networks, 2016"
        ),
        "Micikevicius et al., Mixed Precision Training, 2018",
        "Chen, Xu, Zhang & Guestrin, Training Deep Nets with Sublinear Memory Cost, 2016",
    ),
    differs="The notes divide a padded loss once by the number of texts and once by the number of tokens; here it "
    "is always the tokens.\n"
    "Their way back through a batch leaves out the slope of tanh and starts from 0 at the last step.\n"
    "They sort texts by length in place and do not shuffle any more, so that the labels no longer belong to the "
    "texts. Here only the numbers of the lines are sorted.\n"
    "They pack texts without saying that these are not sorted, which torch refuses; the mask that they put on the "
    "unpacked states changes nothing, for these are 0 already. It belongs in the loss.\n"
    "They replace tokens by any id of the vocabulary, so padding and the ends of a text are hit and drawn too, "
    "and of 50 ids 9.8 % change where 10 % are meant; here words become other words.\n"
    "They write the gates as f, i, C, o; torch has them as i, f, g, o: weights taken over without moving the "
    "blocks give another net.\n"
    "Their dropout of an LSTM with one layer does nothing, and it never is on inputs and outputs, only between "
    "layers. Their mask of recurrent dropout is drawn once and stays the same for all batches; their third "
    "program fails. They describe recurrent and variational dropout with the same words.\n"
    "They name four places for dropout in a Transformer, but their program has it on the weights of attention "
    "alone, whose rows then no longer add up to 1 in training.\n"
    "Their program for half precision never sets the gradients to zero, clips them with the loss scale still in "
    "them, and takes its context from a module that torch has retired.\n"
    "Their checkpoints call an argument that does not exist, and an LSTM returns two things, so that it cannot "
    "stand in such a chain.\n"
    "Their memory for training an LSTM, 1,024 MB for 100 texts of 500 tokens and 1,024 units, has three gates and "
    "leaves out the candidate; with it, 1,229 MB.\n"
    "A net whose two halves are changed at once cannot be run backwards; one after the other they can, up to "
    "rounding.",
    minutes=25,
    before=("optimisers",),
    live=False,
    minute=(
        Step(
            "Eight lines, the longest of 64 letters: 512 cells, and 81 of them hold no "
            "token. Sort the lines by length, or pack them, and see what is left of that.",
            link=chosen("padded"),
            panel="part-lines",
        ),
        Step(
            "4: twelve tokens divided by three lines. Over the tokens it is 1, and over all "
            "15 cells, with the padding, 0.8. Only the tokens count.",
            link=chosen("padded", lines="ABCDE%0AFGH%0AIJKL"),
            panel="part-mask",
            asks="Lines of 5, 3 and 4 tokens; each token costs 1. What is the sum over the lines?",
            choices=("1", "4", "12"),
            covers=("part-mask",),
        ),
        Step(
            "0.08 %, 0.7 to the power of 20. With one mask for all steps 70 % is left, however long the text is.",
            link="batches.part=Dropout in time&batches.dropped.p_drop=0.3&batches.dropped.p_steps=20",
            panel="part-dropout-in-time",
            asks="A fresh mask silences 30 % at each step. What is left of a memory after 20 steps?",
            choices=("70 %", "30 %", "0.08 %"),
            covers=("part-dropout-in-time",),
        ),
    ),
    topics="""
part-lines | Padding, buckets and packed sequences |
    rnn E11 E12 E14 E27; lstm B11 B13 B36; transformers K14 N2; foundations S07
    Lines as a padded matrix, sorted by length, or packed step by step, with the waste in percent.
    padding waste, bucketing, length bucketing, pack_padded_sequence, packing, batch_sizes,
    dynamic padding, truncation, vectorised step, vectorization, batched products
part-mask | What goes wrong without a mask | rnn E11; lstm B14
    A loss divided by cells or lines instead of tokens, and a state read at the padding.
    loss mask, masked loss, padding mask, last hidden state, ignore_index
part-dropout-in-time | Dropout in a recurrent net, three forms | rnn E28; lstm B17 B18 B19
    Masks between layers, fresh, or one for all steps, and what each leaves of a memory.
    recurrent dropout, variational dropout, inverted dropout, dropout mask
part-half-precision | Half precision bit by bit, and the loss scale | lstm B15; transformers K16
    The bits of a number in three formats, and which gradients of a real run become 0 in float16.
    mixed precision, float16, bfloat16, underflow, loss scaling, GradScaler, autocast, mantissa,
    exponent
part-checkpoints | Gradient checkpointing as a timeline of memory | rnn E13; lstm B39 B40; transformers K17
    What is kept, what is computed again, and the memory that a real step held.
    activation checkpointing, recompute, memory of BPTT, checkpoint_sequential
""",
)
