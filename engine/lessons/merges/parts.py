"""What stands below the live pictures: what the notes leave open, and an example of theirs that cannot
come out."""

from __future__ import annotations

from engine import frame as fr


@fr.part("“unhappiness”")
def unhappiness() -> fr.Blocks:
    yield (
        "A common example cuts “unhappiness” into **un**, **happy** and **ness**. Joined again, that "
        "is “unhapp**y**ness”. The tokens of BPE, WordPiece and Unigram are substrings of the text: "
        "joined, they give back the word, so this cut can never come out. **un**, **happi**, **ness** "
        "can, if enough words of the text contain these pieces. Then “happy” and “happi” are two "
        "unrelated tokens: only a stemmer or a lemma shows that they are one word (*Text "
        "preparation*)."
    )


@fr.part("Ties, overlaps, new words")
def ties() -> fr.Blocks:
    yield (
        "**Ties.** Several pairs can be equally frequent, and in a small text they often are. The "
        "choice changes the vocabulary: choose another rule above and look at the text."
    )
    yield (
        "**Overlaps.** In “aaaa” the pair **a a** occurs three times, but it can be replaced only "
        "twice, from left to right. Here all three places are counted."
    )
    yield (
        "**New text.** The merges are applied in the order in which they were learned, inside each "
        "word: see *Cut a new word*."
    )


@fr.part("Does the library do the same?")
def library() -> fr.Blocks:
    yield (
        "The same text was given to our code and to the `tokenizers` library. **BPE**, over bytes and "
        "over characters: the same merges in the same order, with the tie rule *the smallest by its "
        "numbers*."
    )
    yield (
        "**WordPiece**: the library's trainer does not use the score. It merges by count, as BPE "
        "does, and only adds the ##, so its order is that of the left list above, not of the right "
        "one. *Cutting* a word into the longest matching pieces is the same."
    )
    yield (
        "**Unigram**: the same probabilities where nothing has to be pruned; where much is pruned, a "
        "few pieces in a hundred differ. With the same pieces a word is cut in the same way."
    )


PARTS = (unhappiness, ties, library)
