"""Looks: what to look at in each shipped run, and a number to hold its own against; for the table
in assets/runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Look:
    """`beside` names a number of something else, and where it comes from."""

    at: str
    beside: str = ""


CELL = Look(
    "the same text through all ten cells; small and short of training, made to be compared, not to"
    " write well"
)
PLACED = Look(
    "how it does beyond the 64 tokens of its training: the page Positions, `assets/positions.json`"
)
MOVED = Look(
    "the page Moved words: “china”, “cell”, “gay”", "the same with another seed, beside it"
)
SPELT = "“unhappiest”, “johnstone”, “govermnent”: none of them is in the table"
GENSIM = (
    "gensim's skip-gram on the same Wikipedia: analogies 44.4 %, WordSim-353 0.658, among 30,000"
    " words"
)
TAGGED = "the commonest tag of each word: 86.2 %; NLTK's perceptron tagger: 93.8 %"

PLAIN = (
    "the same recipe in plain torch, from other first weights: {} nats per token on held-out text"
    " after {} steps, ours {} (`check {}`)"
)

BY_STATE = "the LSTM that learned from the same words for as many steps: `lstm_words`"

LOOKS: Mapping[str, Look] = {
    "ngram": Look(
        "how a bar is made of orders; “It was one of the most”",
        "the same counts unpruned, 101 MB: 1.550 bits per character, perplexity 111",
    ),
    "lstm": Look(
        "unit 69 of layer 2, which knows what is quoted, and unit 267 of layer 1, which counts"
        ' characters: “He asked "why not?" and left.”, page LSTM gates',
        PLAIN.format("1.315", "2,000", "1.316", "lstm"),
    ),
    "gru_large": Look(
        'unit 213 of layer 1, which knows what is quoted: “He asked "why not?" and left.”, pages'
        " LSTM gates and Surgery",
        PLAIN.format("1.311", "2,000", "1.309", "gru_large"),
    ),
    "rnn_large": Look(
        'unit 410 of layer 1, which knows what is quoted too, and slips: “"I do not know," said'
        ' she, "and I never shall."”, page LSTM gates',
        PLAIN.format("1.364", "2,000", "1.365", "rnn_large"),
    ),
    "transformer": Look(
        "head 3 of layer 5, an induction head, and head 1 of layer 2, which it needs: “The dog was"
        " called Llanfair. We all liked L”, pages Heads and Model surgery",
        PLAIN.format("3.689", "2,000", "3.679", "transformer"),
    ),
    "bert": Look(
        "what stands behind a gap: “The United [MASK] is made of England, Scotland, Wales and Northern"
        " Ireland.”; heads 6 and 8 of layer 2, which look one token back and one ahead; facts it knows few:"
        " “Paris is the capital of [MASK].”"
    ),
    "skipgram": Look("months, countries, royalty", GENSIM),
    "cbow": Look(
        "beside skip-gram of the same text: the mean of a window makes fewer analogies right",
        GENSIM,
    ),
    "glove": Look(
        "months, instruments; counts of a few pairs of words stand in its `run.json`, for the page"
        " Co-occurrence",
        GENSIM,
    ),
    "fasttext": Look(SPELT),
    "charngram": Look(f"{SPELT}; here words are made of spelling only"),
    **{f"vectors_{text}_{seed}": MOVED for text in ("wiki", "novels") for seed in (0, 1)},
    "rnn": Look(CELL.at, PLAIN.format("1.841", "1,000", "1.836", "rnn")),
    "gru_after": Look(CELL.at, PLAIN.format("1.705", "1,000", "1.708", "gru_after")),
    "lstm_small": Look(CELL.at, PLAIN.format("1.706", "1,000", "1.710", "lstm_small")),
    **dict.fromkeys(
        ("gru", "lstm1997", "peephole", "coupled", "layernorm_lstm", "mgu", "dual_memory"), CELL
    ),
    "convolution": Look(
        "how far it sees, and which letters count: “The old captain looked at the grey sea”, page"
        " Convolution",
        PLAIN.format("1.692", "1,000", "1.691", "convolution"),
    ),
    "lstm_words": Look(
        "the shapes one to one, one to many and in step",
        PLAIN.format("4.111", "2,000", "4.108", "lstm_words"),
    ),
    "feedforward": Look(
        "“Mary said that she would not come, because”: the window has lost “she”, page Feed-forward"
        " language model",
        f"{BY_STATE}; " + PLAIN.format("4.160", "2,000", "4.157", "feedforward"),
    ),
    "feedforward_direct": Look(
        "the same with a way past the hidden layer, on and off, page Feed-forward language model",
        BY_STATE,
    ),
    "tagger": Look("“Time flies like an arrow”", TAGGED),
    "tagger_both": Look("“Time flies like an arrow”", TAGGED),
    "hmm_tagger": Look(
        "“The complex houses”: filtered, smoothed and on the best path, page Inspect", TAGGED
    ),
    "trigram_tagger": Look(
        "the tagger's test, page Hidden Markov models: what a second order and split states bring",
        TAGGED,
    ),
    "hmm": Look(
        "the state that writes the vowels, which nobody told it of: emission, page Inspect"
    ),
    "sentiment": Look(
        "“The acting is perfect, but the plot is dull”",
        "logistic regression over the words: 68.8 % of passages, 90.5 % of whole reviews",
    ),
    "textcnn": Look(
        "“The acting is superb, but the plot is a boring mess and a waste of time”: which phrase fires"
        " which filter, page Sentence classifier",
        "on the same text, the LSTM `sentiment`: 66.1 % of passages, 81.0 % of whole reviews; logistic"
        " regression over the words: 68.8 %, 90.5 %",
    ),
    "translator": Look(
        "which head of cross-attention follows the words that cross: “black cat”, “chat noir”"
    ),
    "translator_spanish": Look(
        "where it looks for each Spanish word: “The king of Israel said to the people”; what it makes"
        " of sentences from another world",
        "the Spanish of the most similar English that it learned from (tf-idf, cosine): BLEU 3.5;"
        " the English itself: 0.4",
    ),
    "translator_english": Look(
        "the way back, for back-translation: “No temas, porque yo soy contigo.”",
        "the English of the most similar Spanish that it learned from (tf-idf, cosine): BLEU 6.9;"
        " the Spanish itself: 0.4",
    ),
    **{f"transformer_{kind}": PLACED for kind in ("sinusoidal", "shaw", "t5", "alibi")},
    "transformer_none": Look(
        PLACED.at,
        PLAIN.format("4.278", "1,500", "4.247", "transformer_none")
        + "; means of three draws each, 4.242 to 4.312 and 4.213 to 4.297",
    ),
    "transformer_learned": Look(
        PLACED.at, PLAIN.format("4.040", "1,500", "4.058", "transformer_learned")
    ),
    "transformer_rope": Look(
        PLACED.at, PLAIN.format("3.947", "1,500", "3.962", "transformer_rope")
    ),
    "lstm_brackets": Look(
        "unit 27, which counts how many brackets are open: “{[([a])b](c)}”, page LSTM gates",
        "a guess among the three that close: 33.3 %",
    ),
    "lstm_copying": Look(
        "“kqzr=kq”: one state holds all letters and their order", "a guess among the letters: 3.8 %"
    ),
    "ntm": Look(
        "“bhacegda=bhacegda”: each letter in a slot of its own, page External memory",
        "a guess among the letters: 12.5 %",
    ),
    "lstm_repeats": Look(
        "“bhacegda=bhacegda”: the same in one state", "a guess among the letters: 12.5 %"
    ),
    "lstm_lag": Look("“abacdbabac”: d has to come", "a guess among the four letters: 25 %"),
    "rnn_lag": Look(
        "the same task in an Elman network, which learns it as well",
        "a guess among the four letters: 25 %",
    ),
    "lstm_tunes": Look(
        "“M:6/8 d | g f e d2 B | c B A G2 D | E G A B A G”: the bar is full, so a bar line comes; page Melody",
        "counts of up to 7 notes of the same tunes: `assets/melody.json`",
    ),
    "lstm_agreement": Look(
        "unit 13, which keeps the number of the subject: “The keys to the old cabinet”, pages LSTM"
        " gates and Surgery",
        "a guess between is and are: 50 %",
    ),
    "transformer_brackets": Look(
        "head 2 of layer 2, which looks at the bracket that has to close: “{[(a)b]c(”, page Heads",
        "a guess among the three that close: 33.3 %",
    ),
    "transformer_copying": Look(
        "head 4 of layer 2, an induction head: “kqzr=kq”, page Heads; without it, page Model"
        " surgery",
        "a guess among the letters: 3.8 %",
    ),
    "transformer_lag": Look(
        "head 3 of layer 1, which looks five back: “abacdbabac”, page Heads",
        "a guess among the four letters: 25 %",
    ),
    "transformer_agreement": Look(
        "head 2 of layer 2, which looks past other nouns at the subject: “The keys to the old"
        " cabinet”, page Heads",
        "a guess between is and are: 50 %",
    ),
    "transformer_mappings": Look(
        "head 3 of layer 2, which looks at the labels of words of its kind: “saw = no ; cat = blue ; frog"
        " =”, pages Prompting and Heads",
        "a guess among the eight labels: 12.5 %",
    ),
    "transformer_sums": Look(
        "“5055+8947=”: the sum at once, page Prompting",
        "the same recipe in steps: all of 100 sums of four digits right, here 3",
    ),
    "transformer_steps": Look(
        "“5055+8947:”: the same sum column by column, page Prompting",
        "the same recipe at once: 3 of 100 sums of four digits right, here all",
    ),
    "transformer_prefixed": Look(
        "“sort: dbgac =”, and the same letters behind copy and reverse, page Prompting",
        "a guess among the letters: 12.5 %",
    ),
    **dict.fromkeys(
        ("lstm_stories", "gru_stories", "rnn_stories", "transformer_stories"),
        Look(
            "“I grew up in France. … I speak fluent”, with up to sixteen sentences between: page What a memory keeps"
        ),
    ),
}
