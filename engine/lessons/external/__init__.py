"""External memory: what does a network do with a memory that it can write to and read from?"""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try

LESSON = Lesson(
    id="external",
    era="Recurrence",
    title="External memory",
    question="What does a network do with a memory that it can write to and read from?",
    model="ntm",
    also=("lstm",),
    prompt="Letters from a to h, the mark =, and the same letters",
    example="bhacegda=bhacegda",
    tries=(
        Try(
            "bhacegda=bhacegda",
            "Squares run down as it writes each letter to the next slot; behind = the dots "
            "run down the same slots as it reads them in order.",
        ),
        Try(
            "aabbaabb=aabbaabb",
            "The same two letters again and again. Which one comes next follows from the "
            "place alone: looking for a letter like this one would not help.",
        ),
        Try(
            "gbdhfaecgbdhfaec=gbdhfaecgbdhfaec",
            "Sixteen letters; in training no line had more than ten. The machine goes on "
            "down its slots; the LSTM goes wrong at the sixth.",
        ),
    ),
    sources=(
        "Graves, Wayne & Danihelka, Neural Turing Machines, 2014",
        "Collier & Beel, Implementing Neural Turing Machines, 2018 (how the memory begins)",
        (
            "Graves et al., Hybrid Computing Using a Neural Network with Dynamic External Memory, 2016"
        ),
        "Weston, Chopra & Bordes, Memory Networks, 2015",
    ),
    differs="The notes call the memory of their listing addressed by content; its weights come from the hidden "
    "state alone and never look at the memory, so what stands there has no say in where it writes or reads.\n"
    "It only adds and never erases, it reads before it writes, so that the first reading is always zero, and what "
    "is read never comes back into the LSTM.\n"
    "It adds a hidden state and a reading, which fails unless a slot has as many numbers as the state has units.\n"
    "Here, as in the paper, a head compares its key with the slots, then moves along them; it erases, then adds; "
    "and the reading is part of the next input.",
    minutes=15,
    before=("memory",),
    minute=(
        Step(
            "Each letter goes to a slot of its own; behind = the same slots are read in "
            "order. Both models say all eight letters and the end.",
            text="bhacegda=bhacegda",
            panel="tape",
        ),
        Step(
            "A place. By content it would look at slot 0 most, with 46 %; it steps on from "
            "where it was, and reads slot 1 with 99 %.",
            text="aabbaabb=a",
            link="by=read",
            panel="address",
            asks="Which slot to read next: does it look for a letter, or for a place?",
            choices=("a letter", "a place"),
            covers=("tape", "slots"),
        ),
        Step(
            "All 16 letters, though no line in training had more than 10; the LSTM goes wrong at the sixth.",
            text="gbdhfaecgbdhfaec=gbdhfaecgbdhfaec",
            panel="tape",
        ),
    ),
    true_of=("ntm", "lstm_repeats"),
    topics="""
tape | Read and write heads on a memory | lstm B46
    Which slots of a memory are written and read at each letter, in a task where every letter has to
    come again; the memory itself.
    neural Turing machine, NTM, memory-augmented network, copy task, external memory
address | Content and location | lstm B46
    How a head finds its slots: like its key, mixed with where it was, moved, sharpened.
    content-based addressing, location-based addressing, circular shift, key strength
part-put-a-head-elsewhere | A head of the memory put elsewhere | lstm B46
    The address, key or gate of a head changed at one letter of your text, and what is copied then.
    edit an address, change a key, intervention, read weight, write weight
part-how-long-a-copy | Copies longer than in training | lstm B46
    How many letters are right by the length of the copy, with any number of slots, beside an LSTM.
    length generalisation, algorithm learning, capacity of a state
""",
)
