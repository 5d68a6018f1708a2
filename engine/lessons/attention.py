"""Lessons on models that look back."""

from __future__ import annotations

from engine.lessons.base import Lesson, Try

ATTENTION = (
    Lesson(
        id="attention",
        era="Attention",
        title="Attention",
        question="How does a token attend to the others, step by step?",
        minutes=20,
        before=("tokenizers", "embeddings"),
        model="transformer",
        example="The king spoke to the queen",
        tries=(
            Try(
                "The king spoke to the queen",
                "Layer 1, head 4, row “en”: 90 % of its weight goes to “que”, the first half of"
                " the word.",
                "layer=0&head=3",
            ),
            Try(
                "The girl looked at the old man and shook",
                "Layer 3, head 4, row “shook”: 53 % goes to “girl”, 44 % to “man”. Click the"
                " weight, then its score, then the query.",
                "layer=2&head=3",
            ),
            Try(
                "The cat sat on the mat and the cat",
                "Layer 2, head 2: on average three quarters of each row go to the first token,"
                " the line end. Switch ÷ √64 off. How much is left for the others?",
                "layer=1&head=1",
            ),
            Try(
                "The bear ate the honey because it was",
                "What does “it” refer to? In layer 2, head 5 looks from “it” at “bear” (54 %),"
                " head 6 at “honey” (34 %). A model of this size does not decide. The"
                " translator does; see Cross-attention.",
                "layer=1&head=4",
            ),
            Try(
                "The trophy would not fit in the suitcase because it was too small",
                "“It” means the suitcase here, and with “big” the trophy. Change the last word:"
                " not one weight in the row of “it” moves, in any head. The model reads left to"
                " right, so when it reads “it”, it cannot know which word will follow.",
                "layer=1&head=5",
            ),
        ),
        sources=(
            "Vaswani et al., Attention Is All You Need, 2017, sec. 3.2",
            (
                "Bahdanau, Cho & Bengio, Neural Machine Translation by Jointly Learning to Align"
                " and Translate, 2015 (additive score)"
            ),
            (
                "Luong, Pham & Manning, Effective Approaches to Attention-based Neural Machine"
                " Translation, 2015 (dot and bilinear score)"
            ),
            (
                "Xiong et al., On Layer Normalization in the Transformer Architecture, 2020 (norm"
                " first)"
            ),
        ),
        differs="The notes show one head of an encoder with made-up weights. This page shows one head "
        "of a trained decoder. A token sees only itself and the tokens before it, so the "
        "upper triangle is masked. The notes sometimes divide by d; the model divides by √d.\n"
        "Some numbers in their worked example are wrong; both versions are shown below. The "
        "weights show where a head looks, not why the model gives its answer.\n"
        "What goes under the root is the width of a head, not that of the embeddings.\n"
        "Weights do not grow in proportion to the scores, but exponentially: one more in a "
        "score makes a weight 2.7 times as large beside the others.\n"
        "They count 192 connections per token; that is for one number of it, and a token of "
        "width 64 has 64 × 192 = 12,288.\n"
        "They call QKᵀ the only square matrix, but in that example the weight matrices are "
        "square too.\n"
        "They say that queries and keys are learned independently; only the product of their "
        "weights counts, and a rotation of both leaves every score as it was.\n"
        "They say that with Q = K a token would see only itself; another one with a longer "
        "vector can get more weight.\n"
        "They say that only high scores survive the softmax; every token that is not masked "
        "keeps a weight above 0.\n"
        "They say that softmax keeps values from exploding; it makes them sum to 1, but with "
        "scores of 40 and 0 the second weight is 4 × 10⁻¹⁸, and in 32 bits the exponential of "
        "89 overflows, unless the greatest score is taken off first.\n"
        "They sum over all other words; the word itself has a weight too.",
        first="layer=0&head=3",
    ),
    Lesson(
        id="lookup",
        era="Attention",
        title="Soft lookup",
        question="How does a query read from every key at once?",
        minutes=10,
        before=("softmax", "attention"),
        model="skipgram",
        example="four\none: 1\nthree: 3\nfive: 5\nseven: 7\nnine: 9",
        tries=(
            Try(
                "four\none: 1\nthree: 3\nfive: 5\nseven: 7\nnine: 9",
                "No key is “four”. The best one is “three”, so a hard lookup reads 3; the soft one"
                " reads “three” and “five” nearly alike, and 3.94. Warm it up: it slides to 5, the"
                " plain mean.",
                "rules=6.cosine",
                "Numbers: four is missing",
            ),
            Try(
                "space travel\nastronomy: stars, planets and telescopes\ncooking: recipes, spices and"
                " bread\nrockets: engines, fuel and orbits\nsailing: ships, wind and harbours",
                "A shelf of books. Hard, you take one: “rockets”, and read of engines and fuel."
                " Soft, you read three at once, and what is read is most like “quasars” and"
                " “satellites”, words that stand in none of the books.",
                "rules=20.cosine",
                "Library: space travel",
            ),
            Try(
                "climate change in coastal regions\nglobal warming: carbon dioxide and temperature\nrising"
                " sea level: floods and tides\ncoastal cities: harbours and beaches\nroman history:"
                " emperors and wars\nfootball: goals and players",
                "A search by words. “coastal cities” has the best cosine. Choose q·k ÷ √d and T = 1:"
                " the scores lie so close together that football has 18 % too.",
                "rules=20.cosine",
                "Search: climate and coasts",
            ),
            Try(
                "portugal\nfrance: french\ngermany: german\nbrazil: portuguese\njapan: japanese",
                "The best key is “brazil”, so a hard lookup reads “portuguese”. At T = 1 the reading is"
                " about as like “french”. Cool it down, and “portuguese” alone is left.",
                "rules=40.cosine",
                "Countries: portugal",
            ),
            Try(
                "turquoise\nred: 1, 0, 0\ngreen: 0, 1, 0\nblue: 0, 0, 1",
                "Values of three numbers. What is read is 63 % blue, 23 % red and 14 % green: the"
                " vectors know which words stand near each other, not which colours do.",
                "rules=20.cosine",
                "Colours: turquoise",
            ),
        ),
        sources=(
            (
                "Graves, Wayne & Danihelka, Neural Turing Machines, 2014, sec. 3.3.1 (a memory that"
                " is read by likeness)"
            ),
            "Vaswani et al., Attention Is All You Need, 2017, sec. 3.2 (queries, keys, values)",
            (
                "Hinton, Vinyals & Dean, Distilling the Knowledge in a Neural Network, 2015"
                " (temperature)"
            ),
        ),
        differs="The notes compare attention to a search engine and leave out the values: what is found"
        " is not the key, but what stands behind it.\n"
        "Their library hands out the one book that matches; attention reads all of them, each as"
        " much as its weight says, and no weight is 0.\n"
        "Here query and keys are word vectors as they are. In a Transformer two learned matrices"
        " come before the product, and another one makes the values.",
        first="rules=6.cosine",
    ),
    Lesson(
        id="masks",
        era="Attention",
        title="Masks",
        question="Who may look at whom, and what breaks when a mask is wrong?",
        minutes=15,
        before=("attention",),
        model="transformer",
        example="The girl looked at the old man and shook her head",
        tries=(
            Try(
                "The girl looked at the old man and shook her head",
                "Without the diagonal the first token may look at nobody. Hidden by −1,000,000,000"
                " its weights are equal over all, later ones too: the future is seen. Hide by −∞:"
                " not one prediction has a number.",
                "rules=below.4.e9",
            ),
            Try(
                "The girl looked at the old man and shook her head",
                "No mask at all. Most tokens cost less than under the model's own mask: it reads"
                " ahead what it should foretell. A low loss alone says nothing.",
                "rules=none.4.zero",
                "No mask: it reads ahead",
            ),
            Try(
                "The dog was called Llanfair. We all liked L",
                "A window of four tokens. With its own mask the model copies “l” from the first"
                " name, with 82 %; the window has lost that name.",
                "rules=window.4.zero&layer=4&head=2",
                "A window that forgets",
            ),
            Try(
                "The girl looked at the old man and shook her head",
                "Three tokens of filling in front, whose own rows have nobody left to look at. By"
                " −∞ that spoils every prediction, for 0 times no number is no number.",
                "rules=padding.3.inf",
                "Filling in front",
            ),
        ),
        sources=(
            "Vaswani et al., Attention Is All You Need, 2017, sec. 3.2.3 (causal mask)",
            "Beltagy, Peters & Cohan, Longformer: The Long-Document Transformer, 2020 (window)",
            "Devlin et al., BERT, 2019 (padding; its code adds −10,000)",
        ),
        differs="The notes set the entries below the diagonal to 1 and leave the diagonal out. A token"
        " may look at itself, or the first one has nobody; what it must not see is the next one.\n"
        "They say that the second word sees the first alone, and elsewhere that it sees itself: it"
        " sees both, for the input of a decoder is shifted by one.\n"
        "They hide by −10,000, by −1,000,000,000 and by −∞, as if these were one; see what each"
        " does to a row that is hidden whole.\n"
        "Their mask of filling has the shape (texts, tokens), their attention wants (texts, from,"
        " to): with as many texts as heads nothing fails, and each head gets the mask of another"
        " text.",
        first="rules=below.4.e9",
    ),
    Lesson(
        id="heads",
        era="Attention",
        title="Heads",
        question="What does each head do, and do its weights explain the answer?",
        minutes=15,
        before=("attention",),
        model="transformer",
        example="The students opened their books because they wanted to read",
        tries=(
            Try(
                "The students opened their books because they wanted to read",
                "Head 1 of layer 2 looks at the previous token: a line of cells just below the"
                " diagonal.",
                "layer=1&head=0",
            ),
            Try(
                'She said: "The king is here." He said: "The queen is gone."',
                "Head 2 of layer 2 puts 99 % of its weight on colons, full stops and quotation"
                " marks: whole columns light up.",
                "layer=1&head=1",
            ),
            Try(
                "The dog was called Tibbleford. We all liked T",
                "An induction head: from the second “T”, head 3 of layer 5 looks at “ib”, which"
                " followed the first “T”. The model now predicts “ib” with 83 %.",
                "layer=4&head=2",
            ),
        ),
        sources=(
            (
                "Clark, Khandelwal, Levy & Manning, What Does BERT Look At? An Analysis of BERT's"
                " Attention, 2019"
            ),
            "Olsson et al., In-context Learning and Induction Heads, 2022",
            "Abnar & Zuidema, Quantifying Attention Flow in Transformers, 2020 (rollout)",
            (
                "Jain & Wallace, Attention is not Explanation, 2019; Wiegreffe & Pinter, Attention"
                " is not not Explanation, 2019"
            ),
        ),
        differs="The notes give each head a clean role (syntax, meaning, coreference). Here a"
        " role is measured. A head gets a tag only if it clearly puts more weight on"
        " true pairs than on the same pairs in shuffled text. Most heads get none.",
    ),
    Lesson(
        id="positions",
        era="Attention",
        title="Positions",
        question="How does the model know the order of the words?",
        minutes=15,
        before=("attention",),
        model="transformer",
        example="The dog bites the man and the man bites the dog",
        tries=(
            Try(
                "The dog bites the man and the man bites the dog",
                "The same words in two orders. Choose None above, then RoPE or ALiBi, and compare"
                " where the heads look.",
            ),
            Try(
                "one two three four five six seven eight nine ten",
                "Choose ALiBi: head 1 is penalised most for each token of distance, head 4"
                " hardly at all. Then choose T5, where the biases were learned.",
            ),
            Try(
                "man dog bites",
                "Three words can be put in six orders. Shuffle them below: without positions"
                " and without a mask, no number changes.",
            ),
        ),
        sources=(
            "Vaswani et al., Attention Is All You Need, 2017, sec. 3.5 (sinusoidal)",
            (
                "Shaw, Uszkoreit & Vaswani, Self-Attention with Relative Position Representations,"
                " 2018"
            ),
            (
                "Raffel et al., Exploring the Limits of Transfer Learning with a Unified"
                " Text-to-Text Transformer (T5), 2020, sec. 2.1"
            ),
            "Su et al., RoFormer: Enhanced Transformer with Rotary Position Embedding, 2021",
            (
                "Press, Smith & Lewis, Train Short, Test Long: Attention with Linear Biases Enables"
                " Input Length Extrapolation, 2022"
            ),
            (
                "Haviv et al., Transformer Language Models without Positional Encodings Still Learn"
                " Positional Information, 2022"
            ),
            (
                "Chen et al., Extending Context Window of Large Language Models via Positional"
                " Interpolation, 2023"
            ),
        ),
        differs="The notes' table of six dimensions is wrong in dimensions 2 and 4; the table below "
        "is corrected.\n"
        "They call relative position a linear function of the encodings. In fact PE(p + k) is "
        "a linear function of PE(p): a rotation that depends only on k.\n"
        "They say that learned positions can be extrapolated; the table simply ends.\n"
        "They say that RoPE rotates token embeddings. It rotates queries and keys, in every "
        "layer, and never the values.\n"
        "They call it superior without a measurement; seven ways, trained alike, are compared "
        "below.\nThey say that no encoding occurs twice because there are many waves; one pair is "
        "enough, because π is irrational. In half precision that no longer holds: with "
        "two dimensions, positions 5 and 715 are equal.",
    ),
    Lesson(
        id="transformer",
        era="Attention",
        title="Transformer",
        question="What happens to one token as it passes through the whole model?",
        minutes=20,
        before=("attention",),
        model="transformer",
        example="The president of the United",
        tries=(
            Try(
                "The president of the United",
                "“States” begins with “St”, and each layer makes it likelier: 1.4 % after layer"
                " 1, then 4.2, 13 and 61 %, and 97 % after layer 5. The feed-forward blocks of"
                " layers 1 and 5 contribute most.",
                "stop=31",
            ),
            Try(
                "as soon as possible, as well",
                "“as” ranks first from layer 1 on, with 58 % there and 97 % at the end. Of all"
                " heads, head 2 of layer 4 contributes most.",
                "stop=22",
            ),
            Try(
                "He shook his",
                "Press Play. “head” ranks first after layer 1, with 14 %. Layer 2 raises that"
                " to 44 %, and it ends at 91 %.",
                "stop=14",
            ),
        ),
        sources=(
            (
                "Vaswani et al., Attention Is All You Need, 2017; Radford et al., Language Models"
                " are Unsupervised Multitask Learners, 2019 (norm first)"
            ),
            "nostalgebraist, interpreting GPT: the logit lens, 2020",
            (
                "Elhage et al., A Mathematical Framework for Transformer Circuits, 2021 (the stream"
                " as a sum)"
            ),
            "Xiong et al., On Layer Normalization in the Transformer Architecture, 2020",
            (
                "Dao, Fu, Ermon, Rudra & Ré, FlashAttention, 2022; Katharopoulos et al.,"
                " Transformers are RNNs, 2020 (linear); Beltagy et al., Longformer, 2020 (window)"
            ),
        ),
        differs="The notes put the norm after each block and say that this works better; the shipped "
        "model puts it first, like GPT-2.\n"
        "They compare O(n) with O(n²) and leave out the width.\n"
        "They count 13 words where there are 15.\n"
        "They say that layers without non-linearities collapse to one linear map. All of this "
        "is checked below. The logit lens reads every layer with the last norm and the output "
        "weights, although early layers were never trained for it. A contribution is not a "
        "cause; Model surgery shows what happens when a block is removed.\n"
        "They read the next token off the values of the last head; it is read off the output "
        "of the last block, whose width is that of the embeddings, or the shapes do not "
        "match.\n"
        "They share the embedding table with the output without saying that the first "
        "Transformer multiplied the embeddings by the root of their width.\n"
        "They put a non-linearity behind the output weights of attention; there is none, and "
        "the non-linearity stands in the feed-forward part.\n"
        "They mention gates of attention, which has none.\n"
        "They give attention for a language model without the mask that it needs.",
    ),
    Lesson(
        id="sparse",
        era="Attention",
        title="Sparse attention",
        question="What is lost when each token looks at only a few others?",
        minutes=15,
        before=("masks", "transformer"),
        model="transformer",
        example="The dog was called Llanfair. We all liked L",
        tries=(
            Try(
                "The dog was called Llanfair. We all liked L",
                "Under its own mask the model copies “l” from the name, with 82 %. Choose the patterns"
                " one after the other: under a window “l” has 4 %, and strided copies “an” instead.",
                "rules=window.4.zero&times=3&layer=4&head=2",
            ),
            Try(
                "The dog was called Llanfair. We all liked L",
                "Of each row only the four best scores are kept: still 76 %. Few pairs are enough, if"
                " they are the right ones; to find them all scores were computed.",
                "rules=top.4.zero&times=3&layer=4&head=2",
                "The four best scores",
            ),
            Try(
                "The girl looked at the old man and shook her head because she did not know him",
                "A window of four reaches three tokens further back with each layer. After eight"
                " layers the last of 24 tokens has heard of all of them, though it looks at four.",
                "rules=window.4.zero&times=8",
                "A window through eight layers",
            ),
        ),
        sources=(
            "Child, Gray, Radford & Sutskever, Generating Long Sequences with Sparse Transformers, 2019",
            "Beltagy, Peters & Cohan, Longformer: The Long-Document Transformer, 2020",
            "Zaheer et al., Big Bird: Transformers for Longer Sequences, 2020",
            "Xiao et al., Efficient Streaming Language Models with Attention Sinks, 2023",
            "Shazeer, Fast Transformer Decoding: One Write-Head is All You Need, 2019 (multi-query)",
            (
                "Ainslie et al., GQA: Training Generalized Multi-Query Transformer Models from"
                " Multi-Head Checkpoints, 2023"
            ),
        ),
        differs="The notes name sparse, linear and local attention and say no more; here each pattern is"
        " drawn, counted and measured. Models are trained with their pattern; this one was not, and"
        " loses more than one that was.\n"
        "They say that heads which share keys and values perform as well; the papers report a small"
        " loss, and heads that were trained apart lose much more when they are merged.\n"
        "Skipped pairs save time only where a kernel skips them: a mask laid on all scores saves"
        " nothing.",
        first="rules=window.4.zero&times=3&layer=4&head=2",
    ),
    Lesson(
        id="decoding",
        era="Attention",
        title="Decoding",
        question="The model gives every token a probability. Which one should it write?",
        minutes=15,
        before=("generation",),
        model="transformer",
        example="The king said that he would",
        tries=(
            Try(
                "The king said that he would",
                "Press Top-p 0.9, then Min-p 0.1. How many tokens are left, and how much"
                " probability mass is cut?",
                "rules=p0.9",
            ),
            Try(
                "One day the old man went to the sea and the old man",
                "Greedy decoding takes the likeliest token each time. Compare its share of"
                " repeated 4-grams below with that of the sampled text.",
                "rules=p0.9",
            ),
            Try(
                "It was a very",
                "Temperature 2 raises the tail. See how much of the mass min-p 0.1 then cuts,"
                " and try top-p 0.9 instead.",
                "rules=t2_m0.1",
            ),
        ),
        sources=(
            "Fan, Lewis & Dauphin, Hierarchical Neural Story Generation, 2018 (top-k)",
            "Holtzman et al., The Curious Case of Neural Text Degeneration, 2020 (top-p)",
            (
                "Nguyen et al., Turning Up the Heat: Min-p Sampling for Creative and Coherent LLM"
                " Outputs, 2024"
            ),
            "Meister et al., Locally Typical Sampling, 2023",
            (
                "Keskar et al., CTRL: A Conditional Transformer Language Model for Controllable"
                " Generation, 2019 (repetition penalty)"
            ),
            (
                "Wu et al., Google's Neural Machine Translation System, 2016 (length penalty; ours"
                " divides by a power of the length, as the library transformers does)"
            ),
            (
                "Bengio et al., Scheduled Sampling for Sequence Prediction with Recurrent Neural"
                " Networks, 2015"
            ),
            (
                "Welleck et al., Neural Text Generation with Unlikelihood Training, 2020 (share of"
                " repeated n-grams)"
            ),
        ),
        differs="The notes name greedy decoding, sampling and beam search without formulas or a "
        "length penalty, and do not say what each rule cuts. Here every rule works on the "
        "whole vocabulary and shows what it cut. The order is penalty, temperature, top-k, "
        "top-p, min-p, typical. The notes call the decoder slow but do not mention that keys "
        "and values can be cached; both ways are measured here.\n"
        "Their structured prompt ends with “Input:” and has no place for the text itself.",
    ),
    Lesson(
        id="bert",
        era="Attention",
        title="BERT",
        question="What does a word mean when the model reads both sides of it?",
        minutes=20,
        before=("transformer",),
        model="bert",
        example="The bank by the river is muddy.",
        tries=(
            Try(
                "The bank by the river is muddy.",
                "“bank” is masked. On its left there is only “the”. Mask “river” too: three"
                " kinds of water compete for its place.",
                "masks=2&token=2",
            ),
            Try(
                "The bat flew out of the cave at night.",
                "“cave” is masked. From the left alone, “night” is possible too; “at night”"
                " after the gap rules it out.",
                "masks=7&token=7",
            ),
            Try(
                "I went to the store.\nI bought some milk.",
                "Two sentences, A and B: IsNext. Now mask “milk”: butter, sugar and eggs fit as"
                " well.",
                "masks=&token=0",
            ),
            Try(
                "I went to the store.\nQuantum physics explores subatomic particles.",
                "Each sentence is fine, but they do not belong together: NotNext.",
                "masks=&token=0",
            ),
            Try(
                "I went to the bank in the morning.\nI walked along the bank of the river.",
                "Two different banks: NotNext. Write “I took money from the bank.” on the"
                " second line instead.",
                "masks=&token=0",
            ),
        ),
        sources=(
            (
                "Devlin, Chang, Lee & Toutanova, BERT: Pre-training of Deep Bidirectional"
                " Transformers for Language Understanding, 2019"
            ),
            "Liu et al., RoBERTa: A Robustly Optimized BERT Pretraining Approach, 2019",
            (
                "Lan et al., ALBERT: A Lite BERT for Self-supervised Learning of Language"
                " Representations, 2020"
            ),
            "Sanh et al., DistilBERT, a distilled version of BERT, 2019",
            (
                "Clark et al., ELECTRA: Pre-training Text Encoders as Discriminators Rather Than"
                " Generators, 2020"
            ),
            "Ethayarajh, How Contextual are Contextualized Word Representations?, 2019",
        ),
        differs="The notes say that 15 % of the words are masked. They leave out that only 80 %"
        " of these become [MASK]; 10 % become another word and 10 % stay, so that the"
        " model cannot rely on seeing a mask. “Each batch has different words masked”"
        " describes RoBERTa; BERT's masks were drawn before training, ten times for"
        " each text. The large model, given as 340 million, has 335,141,888 parameters.",
        first="masks=2&token=2",
    ),
    Lesson(
        id="translation",
        era="Attention",
        title="Cross-attention",
        question="Where does a translator look while it writes?",
        minutes=20,
        before=("rnn", "attention"),
        model="encoder_decoder",
        example="The small black cat ate the mouse\nLe petit chat noir",
        tries=(
            Try(
                "The small black cat ate the mouse\nLe petit chat noir",
                "One adjective stays before its noun, the other moves behind it. To write"
                " “noir”, head 1 of layer 2 of the shipped model looks back past the cat at"
                " “black” (99.7 %). To write “Le” it looks at “cat”: the article depends on the"
                " noun's gender.",
            ),
            Try("The cat sat on the mat", "Press Play: Le, chat, s'est, assis, sur, le, tapis."),
            Try(
                "The dog did not cross the street because it was tired\nLe chien n'a pas traversé"
                " la rue parce qu'il était fatigué",
                "“It” is the dog: to write “qu'il”, head 1 of layer 2 looks at “dog” (over 99.9"
                " %). Change tired to wide and press Start again. Now “it” is the street,"
                " “elle”, and the head looks there.",
            ),
            Try(
                "The key is white and it is small\nLa clé est blanche et elle est petite",
                "“It” becomes “elle”, because “la clé” is feminine. Try “box”, “book” or “hat”"
                " instead of “key”.",
            ),
        ),
        sources=(
            "Vaswani et al., Attention Is All You Need, 2017, sec. 3.1 and 3.2.3",
            (
                "Sutskever, Vinyals & Le, Sequence to Sequence Learning with Neural Networks, 2014"
                " (recurrent, without attention); Cho et al., 2014"
            ),
            (
                "Bahdanau, Cho & Bengio, Neural Machine Translation by Jointly Learning to Align"
                " and Translate, 2015 (recurrent, with attention)"
            ),
            (
                "Luong, Pham & Manning, Effective Approaches to Attention-based Neural Machine"
                " Translation, 2015 (where the recurrent one looks)"
            ),
            (
                "Press & Wolf, Using the Output Embedding to Improve Language Models, 2017 (weight"
                " tying)"
            ),
            (
                "Raffel et al., Exploring the Limits of Transfer Learning with a Unified"
                " Text-to-Text Transformer, 2020 (T5)"
            ),
        ),
        differs="The notes name T5 as a model with two vocabularies and, in their table, with one; it has "
        "one. The ## of their ten pieces is the sign of WordPiece, not of SentencePiece or byte "
        "pairs; and “is”, “sur” and “tapis”, which they count as known, can't be put together from "
        "the list.\n"
        "They say where “Le” looks without measuring it; all weights here come from a "
        "trained model.\n"
        "In one place they take queries and keys from the encoder and values from the "
        "decoder, and then the shapes do not match. Queries come from the decoder, keys and "
        "values from the encoder, in training and in use.\n"
        "They say that the decoder is trained one token at a time; all positions are computed "
        "at once, behind the mask. In use, only as much of the target can be read as has been "
        "written.\n"
        "They say that T5 shares weights between encoder and decoder; it shares the embedding "
        "table.\n"
        "They give both “Le chat est assis” and “Le chat s'est assis” for one sentence; this "
        "page uses the second.\n"
        "They call what passes from encoder to decoder transfer learning; that is the name "
        "for going on from a model trained for something else.\n"
        "They send the context of attention to the encoder; it goes to the decoder.\n"
        "What they describe as training, each word fed back in as it is written, is use: "
        "training reads the given target and needs a loss. Of “De nada” they print “De”.\n"
        "They write the recurrent decoder without saying how a word is made of its state, softmax(W s + "
        "b), nor that many decoders get the encoder's vector at every step and not only at the first.\n"
        "They give “est” for “sits”; “Le chat est” needs “assis” to say so.\n"
        "They blame vanishing gradients for what the last state has lost; the state is "
        "written over, and vanishing gradients are why training does not mend that.\n"
        "Attention over n words for m written ones costs n · m, not n², and a recurrent "
        "decoder with attention still takes one step after the other.\n"
        "They put the gain of the Transformer at 4 to 6 BLEU; its paper reports a little over "
        "2 from English to German.\n"
        "They say that hard attention has to be trained with reinforcement learning; that is "
        "one way, and estimates that let the gradient through, or the sum over all places, "
        "are others.",
    ),
    Lesson(
        id="local",
        era="Attention",
        title="Local and hard attention",
        question="Must a decoder look at every word of the source?",
        minutes=15,
        before=("scores",),
        model="seq2seq",
        example="The dog did not cross the street because it was tired\nLe chien",
        tries=(
            Try(
                "The dog did not cross the street because it was tired\nLe chien",
                "Go on with “n'a pas traversé la rue”. The French falls behind the English: which"
                " window still holds the word that is due?",
            ),
            Try(
                "The small black cat ate the mouse\nLe petit chat noir",
                "Point at the rows on the right, one after the other, and watch the windows move.",
            ),
            Try(
                "The key is white and it is small\nLa clé est blanche et",
                "Choose another French word than “elle”: the exact slope of hard attention is"
                " another one too.",
            ),
        ),
        sources=(
            (
                "Luong, Pham & Manning, Effective Approaches to Attention-based Neural Machine"
                " Translation, 2015, sec. 3.2 (local-m, local-p) and 3.3 (input feeding)"
            ),
            (
                "Xu et al., Show, Attend and Tell: Neural Image Caption Generation with Visual"
                " Attention, 2015 (hard attention)"
            ),
            (
                "Williams, Simple Statistical Gradient-Following Algorithms for Connectionist"
                " Reinforcement Learning, 1992 (REINFORCE)"
            ),
            (
                "Bengio, Leonard & Courville, Estimating or Propagating Gradients Through"
                " Stochastic Neurons, 2013 (straight-through)"
            ),
            "Deng et al., Latent Alignment and Variational Attention, 2018 (the sum over all choices)",
        ),
        differs="The notes give the cost of attention as n² and praise that it runs in parallel; between "
        "two texts it is n · m, and a recurrent decoder with attention still takes one step after "
        "the other.\n"
        "They give no formula for the place of a window; these are Luong's. The weights "
        "of local-p are not made to sum to 1 again, as in the paper.\n"
        "They say that hard attention requires reinforcement learning. It needs an estimate of a "
        "slope: REINFORCE is one, and where the choices of a step are few they can all be tried, as "
        "here.",
    ),
    Lesson(
        id="patching",
        era="Attention",
        title="Model surgery",
        subtitle="on a Transformer's heads",
        question="What happens if I switch this head off?",
        minutes=10,
        before=("heads", "transformer"),
        model="transformer",
        example="The girl looked at the old man and shook",
        tries=(
            Try(
                "The girl looked at the old man and shook",
                "Head 4 of layer 3 of the shipped model looks back at “girl”. Without it, “her”"
                " falls from 53 % to 32 %, and “his” becomes the likeliest.",
                "layer=2&head=3&edits=reading:2:3:*:scale:0",
            ),
            Try(
                "The boy looked at the old woman and shook",
                "A boy, and yet “her”: head 3 of layer 5 puts 96 % of its weight on “woman”."
                " Without that one weight, “her” falls from 83 % to 54 %.",
                "layer=4&head=2&token=9&other=7&edits=attention:4:2:9:7:set:0",
            ),
            Try(
                "The dog was called Llanfair. We all liked L",
                "Head 3 of layer 5 looks for what followed the earlier “L”. Without it, “l”"
                " falls from 82 % to 3.4 %. Switch it on again and switch off head 1 of layer"
                " 2, which tells each token what came before it: 0.5 %. The two work together.",
                "layer=4&head=2&edits=reading:4:2:*:scale:0",
            ),
            Try(
                "The president of the United",
                "“United” is two tokens, “Un” and “ited”. Without head 2 of layer 1, which"
                " looks at the previous token, “St” (for States) falls from 97 % to 11 %.",
                "layer=0&head=1&edits=reading:0:1:*:scale:0",
            ),
        ),
        sources=(
            (
                "Michel, Levy & Neubig, Are Sixteen Heads Really Better than One?, 2019 (heads"
                " switched off)"
            ),
            (
                "Vig et al., Investigating Gender Bias in Language Models Using Causal Mediation"
                " Analysis, 2020"
            ),
            (
                "Meng, Bau, Andonian & Belinkov, Locating and Editing Factual Associations in GPT,"
                " 2022 (patching by layer and token)"
            ),
            "Zhang & Nanda, Towards Best Practices of Activation Patching in Language Models, 2024",
        ),
        differs="The notes infer roles from attention weights. Here you switch a head off and"
        " measure what changes. If the answer changes, the head was used for it. It may"
        " have other uses, and another head may be able to replace it.",
        first="layer=2&head=3&edits=reading:2:3:*:scale:0",
    ),
    Lesson(
        id="scale",
        era="Attention",
        title="Scale",
        subtitle="of Transformers",
        question="Why did reading all words at once win, and what does size bring?",
        minutes=15,
        before=("rnn", "transformer"),
        model="transformer",
        example="The weather is beautiful today",
        tries=(),
        sources=(
            "Vaswani et al., Attention Is All You Need, 2017, table 1",
            "Kaplan et al., Scaling Laws for Neural Language Models, 2020",
            "Brown et al., Language Models are Few-Shot Learners, 2020",
            (
                "Schaeffer, Miranda & Koyejo, Are Emergent Abilities of Large Language Models a"
                " Mirage?, 2023"
            ),
            (
                "Ouyang et al., Training Language Models to Follow Instructions with Human"
                " Feedback, 2022; Rafailov et al., Direct Preference Optimization, 2023"
            ),
        ),
        differs="The notes give a size for GPT-4, which was never published; it is left out here.\n"
        "They call attention parallel and recurrence sequential, but do not say that writing "
        "is sequential for both, or that the gain depends on the number of processors.\n"
        "They give no formula for scaling laws or for preferences; both are here.\n"
        "They say that GPT-2 changed the activation; GPT-1 had GELU already.\n"
        "They read LLaMA as Large Language and Multimodal Assistant; it stands for Large "
        "Language Model Meta AI, and the first one knew text only.\n"
        "They say that CLIP describes pictures; it compares a picture with a text and writes "
        "nothing.\n"
        "Their program for weights of 4 bits asks a module that does not have what it looks "
        "for, so it never chooses them.",
        live=False,
    ),
)
