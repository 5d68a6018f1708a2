"""Your texts: what is in your text, before a model learns from it?"""

from __future__ import annotations

from engine.course.base import Lesson, Step

LESSON = Lesson(
    id="corpora",
    era="Your own models",
    title="Your texts",
    question="What is in your text, before a model learns from it?",
    model="ngram",
    example="",
    tries=(),
    sources=(
        "Zipf, Human Behavior and the Principle of Least Effort, 1949 (frequency by rank)",
        (
            "Herdan, Type-token Mathematics, 1960; Heaps, Information Retrieval, 1978 (how the vocabulary grows)"
        ),
        "Lee et al., Deduplicating Training Data Makes Language Models Better, 2022",
        (
            "Luhn, Key Word-in-Context Index for Technical Literature, 1960 (search results in context)"
        ),
    ),
    differs="The notes take their texts as given. Here you add a text, and it is cleaned and counted first. A test "
    "set is put aside that no model is trained on. Passages, not sentences, are split into training, validation and "
    "test sets, so that no passage is in two sets.",
    minutes=10,
    live=False,
    minute=(
        Step(
            "1,469, and none of them only once: a grammar wrote these stories. In a natural "
            "text a large part of all words occurs a single time.",
            link="corpora.text=stories&text_part=Words",
            panel="part-words",
            asks="The little stories have 397,128 words. How many different ones?",
            choices=("1,469", "20,000", "100,000"),
        ),
        Step(
            "39,069 sentences of 10.2 words on average, the longest of 22: a model has to "
            "look back at least that far.",
            link="corpora.text=stories&text_part=Lengths",
            panel="part-lengths",
        ),
        Step(
            "None of the 8,000 passages occurs twice. A copy would be learned by heart, and would spoil a test.",
            link="corpora.text=stories&text_part=Duplicates",
            panel="part-duplicates",
        ),
    ),
    topics="""
part-add | Bring your own text | | transformers M9
    Upload files or paste text; it is read, cleaned, split and counted.
    upload, corpus, data set, Hugging Face hub, PDF, EPUB
- | Training, validation and test parts | transformers L4
    How a text is split so that nothing is measured on what was learned.
    held-out data, validation set, test set, split
part-words | What a text is made of | language_models M47
    Frequent words, Zipf's law and how the vocabulary of your text grows.
    word frequency, Zipf, Heaps, corpus statistics
part-word-sequences | N-grams of your own text | language_models M47
    Which word sequences occur most often in a text that you have added.
    n-grams of my text, frequent word sequences, frequent bigrams
""",
)
