"""word2vec: how does a model learn a word's vector from the words around it?"""

from __future__ import annotations

from engine.course.base import Lesson, Step

TEXT = "the cat sat on the mat and the dog sat on the log"


def chosen(output: str) -> str:
    """What a step of the first minute chooses, as its address says it."""
    first = "w2v_worked=false&now.w2v_done=0&now.w2v_first=3&now.w2v_window=2&now.w2v_width=2"
    more = "w2v_model=Skip-gram&now.w2v_rate=0.1&now.w2v_noise=2&now.w2v_seed=0"
    part = "The output layer"
    return (
        f"now.w2v_text={TEXT}&now.{first}&now.{more}&now.w2v_output={output}&word2vec.part={part}"
    )


LESSON = Lesson(
    id="word2vec",
    era="Meaning as place",
    title="word2vec",
    question="How does a model learn a word's vector from the words around it?",
    model="skipgram",
    example=TEXT,
    tries=(),
    sources=(
        (
            "Mikolov, Chen, Corrado & Dean, Efficient Estimation of Word Representations in "
            "Vector Space, 2013 (skip-gram, CBOW)"
        ),
        (
            "Mikolov, Sutskever, Chen, Corrado & Dean, Distributed Representations of Words and "
            "Phrases and their Compositionality, 2013 (negative sampling, tree, subsampling)"
        ),
        "Rong, word2vec Parameter Learning Explained, 2014 (every gradient)",
        "Huffman, A Method for the Construction of Minimum-Redundancy Codes, 1952",
    ),
    differs="The notes use the letter M for four things; here it is the number of words on each side. They take "
    "column t of W₁ for the word at place t; it should be the column of the word's number in the vocabulary. They "
    "call the skip-gram input “centre or target word”: the centre is the input, and the words in its window are the "
    "targets. They take W₂ as the embedding for CBOW; the original program keeps W₁ for both models. They cover "
    "only the full softmax. They explain why vectors become similar but not what keeps them apart: each update also "
    "pushes a vector away from the words the model expected.",
    minutes=20,
    before=("embeddings",),
    live=False,
    minute=(
        Step(
            "The word in the middle, “sat”, has to predict the four around it. Below each "
            "word stands its chance; nothing is learned yet.",
            link=chosen("softmax"),
            panel="word2vec.question.window",
        ),
        Step(
            "One: that of “sat”. But all 8 rows of the output table move, because a softmax "
            "compares with every word.",
            link=chosen("softmax"),
            panel="part-how-the-vectors-move",
            asks="One update. How many of the 8 rows of the input table move?",
            choices=("1", "4", "8"),
        ),
        Step(
            "A tree of questions instead of a softmax: this update moves 4 of its 7 rows, "
            "those on the ways to the words of the window.",
            link=chosen("hierarchical"),
            panel="part-the-output-layer",
        ),
    ),
    topics="""
word2vec.question.lookup | Embedding matrix: looking up a row | language_models P01 P03
    A one-hot vector times the table is one row of it: shown as the product and as the look-up.
    lookup table, W1, embedding layer, one-hot times matrix
word2vec.question.window | Training pairs from a window | language_models P04 P09
    The window slides over your text and makes its own questions and answers.
    self-supervision, context window, pair generation, centre word
scores | Skip-gram | language_models P08 P10 P12 P13 | | now.w2v_model=Skip-gram
    One word in, the words around it out: the next update with all its numbers.
    word2vec, SG, centre predicts context
scores | CBOW | language_models P05 P06 | | now.w2v_model=CBOW
    The words around in, as a mean, the centre out: the next update with all its numbers.
    continuous bag of words, word2vec, context predicts centre
part-the-output-layer | Full softmax over the vocabulary | language_models P06 | | now.w2v_output=Softmax
    Every word answers and every row moves: what that costs.
    softmax output, output layer, partition sum
part-the-output-layer | Negative sampling | language_models P18 | | now.w2v_output=Negative sampling
    A few noise words instead of the whole vocabulary, and the chances they are drawn with.
    SGNS, noise words, noise-contrastive
part-the-output-layer | Hierarchical softmax | language_models P06 | | now.w2v_output=Tree
    A word as a path of yes and no through a tree.
    Huffman tree, binary tree, tree softmax
rows | Why vectors of like words become alike | language_models P10 P11 P12
    Before and after one update: which rows moved, and towards what.
    gradient of an embedding, update, learning
part-skip-gram-and-cbow-at-this-centre | CBOW and skip-gram side by side | language_models P14
    The same place in the text, asked both ways.
    comparison, CBOW against skip-gram
word2vec.tables.cosines | Which table holds the word vectors | language_models P07 P13 P14
    Cosines from the input table, from the output table, and from their mean.
    W1 and W2, input and output embeddings, E = W1
""",
)
