"""Words: labels of one small word, which stand alone at the head of a column, on an axis or on a button.

A small word may be a token of a text as well, so it is looked up only where a label stands
(`Catalogue.word`), and is listed here, since nothing in the source tells it from a name.
"""

from __future__ import annotations

WORDS = tuple(
    """
    above accuracy added all answers anything before below bins block bytes cell centre chance
    changed characters chosen contents context corpus cosine count counted counts cut-offs default
    device different dimension entries error exact form formula frequency frozen grid group half highest how
    hypothesis kept kind label language length lowest mean measure method microseconds minutes
    mixture model moved n-gram n-grams name negative neighbours net network next offset order
    parameters part passage perplexity piece point positive predicts probability pruning
    punctuation rank reads reason right rule sentences separation setting shape share size skip-gram
    skip-grams snapshots source split stored sum surprisal table take threshold title unit units
    update value vector what when where whose width word words year yes space vowel digit hidden
    Analogies Descendants Duplicates Files Lengths Method Mixture Paths Ratios Rotations Shape
    Spelling Stayed embedding pieces symbols letter letters character symbol byte token state slot
    sharpened mixed written read content measured vocabulary writes keys score weight step loss
    series gate row column cure why positions tells gradient praise blame nobody layer head place
    once tokens unknown vocab no times prior posterior likelihood product precision recall class
    previous first itself same induction punctuation bracket subject pronoun original
    trustworthiness continuity kept off models ticks baseline start end asked direction stable
    unstable range correlation spread heads tag tags greedy likeliest average rollout
    everything-else target steps layers fed program encoder decoder weights format norm
    occlusion orders ledger sampled insertion deletion
    residual everywhere reading attention feed-forward multiplications examples way
    batch rate dropped sure measurement window windows last new task percent missing nothing none
    finished prompt reward reply difference answer prefix expert opposite real outcome parameter numbers
    side for against page
    cases wrong line lines said true loses test wanted fail alike others texts blank
    frame backwards shuffled downwards upwards load alarm tunes median longest notes ends memory round
    rock paper scissors field bits
    from to edges keeps raises lowers recovered text explained features zero shows
    after found places slice ∞-gram
    """.split()
)

# guesses of a first minute that are no tokens; elsewhere such a word may be one
ANSWERS = tuple(
    """
    no verb adjective noun vanish explode neither's names candidates cross-entropy neither
    both most any better worse spell bad always never
    """.split()
)
# those that are said elsewhere as well
GUESSED = (*ANSWERS, "yes", "half", "more", "less", "nothing", "good", "n-gram")
