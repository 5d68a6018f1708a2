"""Melody: notes as tokens on a staff, what a small LSTM expects next, and what one of its units does at each note; then
temperature, what its state knows, counts beside it, copies, and an opponent that learns a player's pattern."""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try

JIG = "M:6/8 d | g f e d2 B | c B A G2 D | E G A B A G | A3 D2"
SCALE = "C D E F G A B c"
LESSON = Lesson(
    id="melody",
    era="Recurrence",
    title="Melody",
    question="What note comes next?",
    minutes=15,
    before=("lstm",),
    model="lstm",
    prompt="Notes: C D E F G A B, then c d e; c2 is twice as long, ^c a sharp, _b a flat, | ends a bar",
    example=JIG,
    tries=(
        Try(JIG, "The beginning of a jig. Press Play, then Go on: the net writes eight bars more."),
        Try(
            "M:4/4 E2 E2 F2 G2 | G2 F2 E2 D2 | C2 C2 D2 E2 | E3 D",
            "Beethoven's Ode to Joy, which is no dance tune. What does the net expect at each note?",
            label="Ode to Joy",
        ),
        Try(SCALE, "No metre and no bar: the net has to find out both, and the key."),
        Try(
            "M:6/8 ^f ^f ^f a2 ^f | e e e",
            "Two sharps and a half-full bar: nobody has said the key, and the dots lie in it.",
            label="Two sharps",
        ),
    ),
    sources=(
        "Todd, A Connectionist Approach to Algorithmic Composition, Computer Music Journal, 1989",
        "Eck & Schmidhuber, Finding Temporal Structure in Music: Blues Improvisation with LSTM Recurrent Networks,"
        " 2002",
        "Sturm, Santos, Ben-Tal & Korshunova, Music Transcription Modelling and Composition Using Deep Learning, 2016"
        " (folk-rnn: an LSTM of ABC)",
        "Boulanger-Lewandowski, Bengio & Vincent, Modeling Temporal Dependencies in High-Dimensional Sequences, 2012"
        " (the Nottingham tunes as a test of nets)",
        "Nottingham Music Database, as cleaned by Jukedeck: the tunes are traditional, the cleaned collection is GPL 3."
        " The net learned from it; its files are not part of this project",
        "Walshaw, The ABC music standard 2.1, 2011",
        "Shannon, A Mind-Reading (?) Machine, Bell Laboratories, 1953 (the game)",
    ),
    differs="The notes name music as a use of an LSTM of three layers and show none. Here one layer of 160 units writes"
    " single melodies; chords and accompaniment are left out.\nThey say that a game needs memory. The opponent here is"
    " a table of counts, which is enough to beat a player with a pattern, and nothing beats one without.",
    minute=(
        Step(
            "A bar line, 99.9 %. Nobody told it to count: six eighths stand in the bar, and in 6/8 that is all.",
            text="M:6/8 d | g f e d2 B | c B A G2 D | E G A B A G",
            panel="staff",
            asks="Six eighths stand in the last bar. What comes next?",
            choices=("a bar line", "another note", "the end of the tune"),
            covers=("cost", "next"),
        ),
        Step(
            "c, 53 %: the scale goes on to its end. No key was said; the seven notes before tell it.",
            text="C D E F G A B",
            panel="staff",
            asks="C D E F G A B … and then?",
            choices=("c", "A", "a bar line"),
            covers=("cost", "next"),
        ),
        Step(
            "With c the bar is full, 95 %: eight eighths, as in 4/4, though no metre was said. Now press Go on, then"
            " Play.",
            text=SCALE,
            panel="staff",
        ),
    ),
    opens="lstm_tunes",
    true_of=("lstm_tunes",),
    topics="""
staff | Music written note by note | lstm C07 | foundations N58
    A tune that you type on a staff, what a small LSTM expects next, its gates below each note; heard and written on.
    music generation, melody, notes, ABC, MIDI, folk-rnn, tune, song, composing, piano
part-temperature | Temperature of a melody | lstm C07 | foundations N58
    What temperature does to tunes: keys left, bars not full, phrases said again.
    sampling music, boring or wild, entropy of music
part-what-the-units-know | The bar and the key in the state | lstm C07 | foundations N58
    Place in the bar and key, read from the state of the net, on tunes that it never saw.
    rhythm, metre, counting beats, probing music, units of a music net
part-beside-an-n-gram | Counts of notes against an LSTM | lstm C07 | foundations N58
    Bits per note of n-grams of each order and of the LSTM, at notes and at bar lines.
    Markov chain of music, n-gram of notes
part-is-it-copied | Copied melodies | lstm C07 | foundations N58
    The longest run of notes that a written tune shares with the tunes that were learned from.
    plagiarism, memorisation, overfitting of music
part-rock-paper-scissors | An opponent that learns your pattern | lstm C17
    Rock, paper, scissors against counts of what you did: its belief, its score, and chance beside it.
    rock paper scissors, game AI, mind-reading machine, predicting a player, opponent modelling
""",
)
