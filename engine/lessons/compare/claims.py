"""What is said for and against a kind of model, and what a page here shows of it."""

from __future__ import annotations

FOR, AGAINST = "for", "against"
Claim = tuple[str, str, str, str]  # for or against, what is said, what is seen here, the lesson

OF: dict[str, str] = {
    "counts": "n-gram models",
    "models": "neural language models",
    "attention": "attention",
}
CLAIMS: dict[str, tuple[Claim, ...]] = {
    "counts": (
        (FOR, "They are simple", "One count divided by another.", "ngrams"),
        (FOR, "They are fast to train", "One pass over the text, without a GPU.", "sparsity"),
        (FOR, "They can be explained", "What each order adds is exact.", "why"),
        (FOR, "They need no labels", "Any text will do.", "corpora"),
        (FOR, "They are a strong baseline", "Bits on held-out lines beside any net.", "compare"),
        (AGAINST, "Unseen sequences get nothing", "What smoothing gives back.", "smoothing"),
        (AGAINST, "They forget what lies far back", "What longer orders bring.", "sparsity"),
        (AGAINST, "They grow with the text", "Bytes by order, and what can go.", "sparsity"),
        (AGAINST, "Words are not alike to them", "Vectors put like words together.", "embeddings"),
        (AGAINST, "New words have no counts", "Pieces of words have.", "tokenizers"),
        (AGAINST, "They fit one kind of text", "Log odds of two texts, by word.", "compare"),
    ),
    "models": (
        (FOR, "They use all of the text", "Heads look back to the start.", "heads"),
        (
            FOR,
            "What they learned carries over",
            "Fewer labels, and what is forgotten.",
            "finetuning",
        ),
        (FOR, "They learn from examples", "Answers behind none to twelve.", "prompting"),
        (FOR, "They write whole texts", "With each rule of choosing.", "decoding"),
        (FOR, "One net does many tasks", "Heads on one BERT, and their baseline.", "tasks"),
        (AGAINST, "They are sure when wrong", "Calibration, and a temperature.", "trial"),
        (AGAINST, "They repeat prejudice", "Sentences that differ in a word.", "trial"),
        (AGAINST, "They are large and costly", "Bytes, energy and price, with sliders.", "smaller"),
        (AGAINST, "They may know the test", "Test lines in the training text.", "trial"),
        (AGAINST, "Nobody knows why they say it", "Eleven methods, and a referee.", "why"),
        (AGAINST, "A typo throws them off", "The same lines with small changes.", "trial"),
    ),
    "attention": (
        (FOR, "All tokens at once", "Ticks until each word is done.", "transformer"),
        (FOR, "Two tokens are one step apart", "How far a gradient reaches.", "bptt"),
        (FOR, "Its weights explain answers", "Often not: a referee tries.", "why"),
        (FOR, "It copies rare words", "The head that does, found by cutting.", "circuits"),
        (FOR, "It works on any input", "Word order has to be put in.", "positions"),
    ),
}
