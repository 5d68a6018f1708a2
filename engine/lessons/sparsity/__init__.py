"""What counting costs: how little of what could occur does, and what of that a model can do without."""

from __future__ import annotations

from engine.course.base import Lesson, Step


def chosen(part: str, order: int, more: str = "", text: str = "stories") -> str:
    """What a step of the first minute chooses, as its address says it."""
    shown = f"&sparsity.part={part}" if part else ""
    return f"study.corpus={text}&study.cut=words&study.order={order}{shown}{more}"


SMALL = "&sparsity.threshold=0.001%25&sparsity.method=modified_kneser_ney"

LESSON = Lesson(
    id="sparsity",
    era="Counting",
    title="What counting costs",
    question="How far does counting reach, and at what size?",
    minutes=20,
    before=("smoothing",),
    model="ngram",
    example="the value of",
    tries=(),
    first="corpus=python_docs&order=5",
    live=False,
    sources=(
        "Zipf, Human Behavior and the Principle of Least Effort, 1949",
        "Heaps, Information Retrieval: Computational and Theoretical Aspects, 1978, sec. 7.5",
        "Goodman, A Bit of Progress in Language Modeling, 2001 (perplexity against order and size)",
        "Fredkin, Trie Memory, 1960",
        "Stolcke, Entropy-based Pruning of Backoff Language Models, 1998",
        (
            "Chelba, Brants, Neveitt & Xu, Study on Interaction between Entropy Pruning and"
            " Kneser-Ney Smoothing, 2010"
        ),
        "Whittaker & Raj, Quantization-based Language Model Compression, 2001",
        (
            "Federico & Bertoldi, How Many Bits Are Needed to Store Probabilities for"
            " Phrase-Based Translation?, 2006"
        ),
        "Pauls & Klein, Faster and Smaller N-Gram Language Models, 2011 (tries in arrays)",
    ),
    differs="The notes say that a table needs V^n cells and that storage grows exponentially. The number of cells "
    "does; a count model stores only the n-grams that occur, never more of one length than there are tokens. Both "
    "are drawn. Here an n-gram has n words; the notes also use n for the words before the last one.\n"
    "Their O(1) is for one probability; a whole row costs V.\n"
    "Their cut-off “below a threshold” leaves open whether the threshold itself is kept: here c > 1 keeps what "
    "was counted twice.\n"
    "They name no measure of what contributes least; this page uses Stolcke's relative entropy. The freed mass goes "
    "to the shorter context.",
    minute=(
        Step(
            "103,467: about one in 63 billion of those that are possible. A table with a cell for"
            " each would be empty nearly everywhere.",
            link=chosen("", 5),
            panel="sparsity.occur.possible",
            asks="1,456 words make 6.5 · 10¹⁵ possible 5-grams. How many occur in these stories?",
            choices=("half of them", "a billion", "103,467"),
            covers=("sparsity.occur.distinct", "part-occur"),
        ),
        Step(
            "Twice the text brings about 1.4 times as many different words. New words never stop coming.",
            link=chosen("A few words do most of the work", 5),
            panel="sparsity.work.growth",
            asks="In twice as much text, how many times as many different words?",
            choices=("1.0", "1.4", "2.0"),
        ),
        Step(
            "10,701, a quarter of them: the perplexity on held-out text is 4.74 instead of 4.52.",
            link=chosen("Which n-grams can go?", 3, SMALL),
            panel="sparsity.cuts.sizes",
            asks="42,853 n-grams. How many are enough if the perplexity may grow by 5 %?",
            choices=("10,701", "24,054", "40,000"),
            covers=("part-cuts",),
        ),
        Step(
            "4 bits for each probability are nearly enough: the perplexity is 4.58 instead of 4.52,"
            " in half of the space.",
            link=chosen("How few bits are enough?", 3, f"{SMALL}&sparsity.bits=4"),
            panel="sparsity.bits.perplexity",
        ),
    ),
    topics="""
sparsity.occur.possible | Sparsity | language_models M47 P31
    Of all n-grams that could be, nearly none occur, and most of those once.
    sparse counts, curse of dimensionality, data sparsity, hapax
sparsity.occur.distinct | How many n-grams there are | language_models M46
    Possible and stored n-grams of each order, counted on the chosen text.
    V to the n, table size, complexity, number of parameters, size
sparsity.work.zipf | Zipf's law and the growth of the vocabulary | language_models M47
    A few words do most of the work, and new words never stop coming.
    Zipf, Heaps, rank and frequency, power law, type-token
sparsity.helps.perplexity-order | Do longer contexts help? |
    language_models M08 M47 P33
    Perplexity on held-out and on counted lines against the order, and against the size of the text.
    context length, overfitting, held-out data, generalisation
sparsity.cuts.sizes | Count cut-offs | language_models M50 M59
    Leave out what was counted once, and read what that costs on held-out text.
    cutoff, pruning, minimum count
sparsity.cuts.sizes | Entropy pruning | language_models M51 M59
    Drop the n-grams whose loss costs least, and read what that costs on held-out text.
    Stolcke, relative entropy pruning, model compression
sparsity.bits.perplexity | Probabilities in a few bits |
    language_models M24 M59; transformers N7
    Logarithms put into bins: perplexity against bits.
    quantisation, compression, bins, codebook
sparsity.costs.bound | What a model of counts takes to store | language_models M46 M49
    Full table, hash table and trie of continuations: bytes of each, and how far a look-up goes.
    hash table, memory, data structures, lookup time, complexity, prefix tree, trie
""",
)
