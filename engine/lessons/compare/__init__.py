"""Compare: which of these models predicts this text best; of two texts, to which one is it closer?"""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try

LESSON = Lesson(
    id="compare",
    era="Your own models",
    title="Compare",
    question="Which of these models predicts this text best, and where do they disagree?",
    model="",
    example="The captain went on board, and the ship sailed for France.",
    tries=(
        Try(
            "The captain went on board, and the ship sailed for",
            "The n-gram model predicts “sailed” best, 4 bits ahead of the others: it has "
            "counted what ships do. What does each model expect after “for”?",
        ),
        Try(
            "The flurble zyxgrobbed his hat.",
            "Two words that no model knows. The n-gram model pays 5 bits for “some unknown word”, so it cannot win "
            "here. The other two spell the words out, for 37 bits and more.",
        ),
        Try(
            "The Snark was a Boojum, you see. The Snark was a Boojum",
            "Two words that no model knows, twice. The second time they cost the Transformer 29 bits instead of 65: "
            "it looks back and copies. The LSTM pays 81 bits, then 78.",
        ),
        Try(
            "He was born in London, Englan",
            "The last word is cut short. The Transformer pays 34 bits for it, because its "
            "tokens were made for the whole word. Type the missing d: 13 bits.",
        ),
        Try(
            "She gave him a silver key, and the function returned the value.",
            "Choose “Two texts, one kind of model” behind “A comparison”: half a story and half a"
            " manual add up to next to nothing. Then type “The name of the key is a string.”:"
            " now “key” speaks for the manual, because the words before it count.",
        ),
    ),
    sources=(
        (
            "Cotterell, Mielke, Eisner & Roark, Are All Languages Equally Hard to "
            "Language-Model?, 2018 (bits per character)"
        ),
        "Mosteller & Wallace, Inference and Disputed Authorship: The Federalist, 1964 (odds)",
        (
            "Efron & Tibshirani, An Introduction to the Bootstrap, 1993, ch. 13; Koehn, "
            "Statistical Significance Tests for Machine Translation Evaluation, 2004 (paired)"
        ),
        "Guo, Pleiss, Sun & Weinberger, On Calibration of Modern Neural Networks, 2017",
    ),
    differs="The notes compare models by perplexity per token, and call one “significantly lower” "
    "without a number. Per token, a character model always looks better than a word model. "
    "So here bits are summed between the places where all models split the text, or spread "
    "over characters, and every difference has a confidence interval.\n"
    "They tell texts apart by multiplying the probabilities of single words (naive Bayes). Here "
    "every word is judged given the words before it, and in logarithms, because a product of "
    "many probabilities soon underflows. A word that one side does not know is left out.",
    minutes=10,
    before=("scoring", "lstm", "attention"),
    subtitle="whole models on one text",
    live=False,
    minute=(
        Step(
            "The n-gram model: “sailed” costs it 7 bits, the Transformer 11. It has counted what ships do.",
            text="The captain went on board, and the ship sailed for",
            link="reader=m2&token=10",
            panel="surprise",
            asks="The ship … Which of these models finds “sailed” least surprising?",
            choices=("LSTM", "Transformer", "n-gram"),
            covers=("tops",),
        ),
        Step(
            "The Transformer pays 29 bits instead of 65 for the names: it looks back and "
            "copies. The LSTM pays nearly as much as before.",
            text="The Snark was a Boojum, you see. The Snark was a Boojum",
            panel="surprise",
            asks="Two unknown names, twice. Who pays less the second time?",
            choices=("LSTM", "Transformer", "nobody"),
            covers=("tops",),
        ),
        Step(
            "No model knows “flurble”. The n-gram model pays 5 bits for “some unknown "
            "word”; the others have to spell it, which is another task.",
            text="The flurble zyxgrobbed his hat.",
            link="reader=m2&token=2",
            panel="surprise",
        ),
    ),
    true_of=("lstm", "transformer", "ngram"),
    topics="""
surprise | Models side by side on one text | lstm C02
    Bits of every reader, word by word, and of all together.
    compare two models, model comparison, race, surprisal
part-measured-on-held-out-lines | Measured on held-out lines | language_models M05; transformers N12
    Bits and perplexity with their intervals, calibration, size and speed.
    evaluation, benchmark, calibration, confidence interval, perplexity
part-for-and-against | For and against n-grams, language models and attention |
    language_models M11 M52 M79
    What is usually said of each, and the page on which it is measured.
    advantages, disadvantages, pros and cons, limitations, benefits
odds | Two texts, one model: for which side does each word speak | language_models M01 | |
    runs=counted.stories,counted.python_docs
    Log odds of every word under two models of two texts.
    corpus duel, log odds, authorship, domain, classification by language model
""",
)
