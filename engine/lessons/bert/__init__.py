"""BERT: what does a word mean when the model reads both sides of it?"""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try

LESSON = Lesson(
    id="bert",
    era="Attention",
    title="BERT",
    question="What does a word mean when the model reads both sides of it?",
    model="bert",
    also=("observed_encoder",),
    example="The United Kingdom is made of England, Scotland, Wales and Northern Ireland.",
    tries=(
        Try(
            "The United Kingdom is made of England, Scotland, Wales and Northern Ireland.",
            "“Kingdom” is masked. From the left alone it would be “states”; what stands behind the gap rules that out.",
            link="masks=3&token=3",
        ),
        Try(
            "The album was released in 1998 and sold a million copies.",
            "“album” is masked. On its left there is only “the”. A movie and a song can be released and sold as well.",
            link="masks=2&token=2",
        ),
        Try(
            "The queen and her husband had two sons.",
            "“her” is masked: it has to agree with “queen” on its left. Write “king” and “wife” instead.",
            link="masks=4&token=4",
        ),
        Try(
            "I do not know what you mean.",
            "“what” is masked. From the left alone it would be “that”. Novels are full of such sentences.",
            link="masks=5&token=5",
        ),
        Try(
            "Paris is the capital of France.",
            "“France” is masked: a country is needed, and the model takes the wrong one. It knows few facts. Now mask "
            "“capital”.",
            link="masks=6&token=6",
        ),
        Try(
            "I went to the store.\nI bought some milk.",
            "Two sentences, A and B: IsNext. Now mask “milk”: nothing that one drinks is among its guesses.",
            link="masks=&token=0",
        ),
        Try(
            "I went to the store.\nQuantum physics explores subatomic particles.",
            "Each sentence is fine, but they do not belong together: NotNext.",
            link="masks=&token=0",
        ),
        Try(
            "I went to the bank in the morning.\nI walked along the bank of the river.",
            "Two different banks, and the model is sure of IsNext: the sentences look alike.",
            link="masks=&token=0",
        ),
    ),
    sources=(
        (
            "Devlin, Chang, Lee & Toutanova, BERT: Pre-training of Deep Bidirectional "
            "Transformers for Language Understanding, 2019"
        ),
        "Liu et al., RoBERTa: A Robustly Optimized BERT Pretraining Approach, 2019",
        (
            "Lan et al., ALBERT: A Lite BERT for Self-supervised Learning of Language Representations, 2020"
        ),
        "Sanh et al., DistilBERT, a distilled version of BERT, 2019",
        (
            "Clark et al., ELECTRA: Pre-training Text Encoders as Discriminators Rather Than Generators, 2020"
        ),
        "Ethayarajh, How Contextual are Contextualized Word Representations?, 2019",
        "Reimers & Gurevych, Sentence-BERT: Sentence Embeddings using Siamese BERT-Networks, 2019",
    ),
    differs="The notes say that 15 % of the words are masked. They leave out that only 80 % of these become "
    "[MASK]; 10 % become another word and 10 % stay, so that the model cannot rely on seeing a mask. “Each batch "
    "has different words masked” describes RoBERTa; BERT's masks were drawn before training, ten times for each "
    "text. The large model, given as 340 million, has 335,141,888 parameters. That "
    "BERT lowered error rates by 25 to 50 % is said without a source: in its own paper it is 18 to 38 %, and GLUE "
    "rose by 7.7 points, not by 7 %.\n"
    "A drawing of attention by their program names the rows after the text, without [CLS] in front, so that every "
    "name stands one place too early.",
    minutes=20,
    before=("transformer",),
    first="masks=3&token=3",
    minute=(
        Step(
            "“kingdom”, with 51 %. From the words before the gap alone it would be “states”, with 79 %: BERT also "
            "reads what stands behind.",
            text="The United [MASK] is made of England, Scotland, Wales and Northern Ireland.",
            link="masks=&token=3",
            panel="blanks",
            asks="The United … is made of England, Scotland, Wales and Northern Ireland. Which word?",
            choices=("states", "kingdom", "nations"),
        ),
        Step(
            "“album”, with 45 %; “movie” and “song” have 11 % each. With only “the” before the gap, no word has "
            "more than 2 %.",
            text="The [MASK] was released in 1998 and sold a million copies.",
            link="masks=&token=2",
            panel="blanks",
        ),
        Step(
            "“pakistan”, with 15 %; “france” has 6.6 %. This small model knows that a country is needed, and "
            "seldom which.",
            text="Paris is the capital of [MASK].",
            link="masks=&token=6",
            panel="blanks",
            asks="Paris is the capital of … Which word does BERT put in?",
            choices=("france", "england", "pakistan"),
        ),
        Step(
            "No: 99.9 % for NotNext. Each sentence is fine, but they do not belong together.",
            text="I went to the store.\nQuantum physics explores subatomic particles.",
            link="masks=&token=0",
            panel="blanks",
            asks="Two sentences. Does the second follow the first?",
            choices=("yes", "no"),
        ),
    ),
    links=(("tasks", "The same BERT with other heads: class, tags, span, pair", ""),),
    topics="""
blanks | Masked language modelling | transformers H1 H4; language_models M09 | transformers M7
    Click words to hide them, and see what both sides make of the gap.
    MLM, BERT, cloze, fill mask, masked words
blanks | From both sides, or from the left only | transformers H1; language_models M09
    The same gap guessed with and without the words behind it.
    bidirectional encoder, autoregressive against masked, BERT against GPT
blanks | Next sentence prediction | transformers H5 H7
    Two sentences: does the second follow the first?
    NSP, sentence pair, IsNext
part-one-word-several-meanings | One word, several meanings |
    transformers B10 H8 J17; foundations S51; lstm D12 D13
    The same word in several sentences: how alike its vectors are, layer by layer.
    contextual embeddings, polysemy, bank, word sense disambiguation
part-sentences-as-vectors | Sentences as vectors | foundations N101
    One vector for a sentence, and how alike two of them are.
    sentence embeddings, Sentence-BERT, MiniLM, mean pooling, semantic similarity, paraphrase
part-what-is-masked | What is masked in training | transformers H4
    15 % of the words, and of these 80, 10 and 10 %: how many that is for a text.
    80 10 10, masking ratio, dynamic masking, RoBERTa
part-how-large | BERT-base and BERT-large | transformers H2 H11 H12
    Numbers in the model, part by part.
    BERT sizes, 110M, 340M, ALBERT, shared layers, DistilBERT
part-how-large | BERT's descendants | transformers H3 H10 H13
    What RoBERTa, ALBERT, DistilBERT and ELECTRA changed.
    RoBERTa, ALBERT, DistilBERT, ELECTRA, pre-training corpus, distillation
part-what-bert-scored | BERT's published results | transformers H9
    GLUE, MultiNLI, SQuAD and SWAG beside what was best before, and people.
    GLUE, SQuAD, SWAG, MultiNLI, human level, benchmark
part-how-good-and-limits | What an encoder can't do | transformers H14 | transformers J14
    How good the shown model is, and the limits of its kind.
    limitations, does not write, length limit
""",
)
