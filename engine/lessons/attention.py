"""Lessons on models that look back."""

from __future__ import annotations

from engine.lessons.base import Lesson, Try

ATTENTION = (
    Lesson(
        "attention", "03_attention.py", "Attention", "Attention", "How does a word read the others, step by step?", "transformer",
        "The king spoke to the queen",
        (
            Try("The king spoke to the queen", "Layer 1, head 4, row “en”: 90 % of its reading comes from “que”, the first half of its word.", "layer=0&head=3"),
            Try("The girl looked at the old man and shook",
                "Layer 3, head 4, row “shook”: 53 % goes to “girl”, 44 % to “man”. Open it, then its score, then the query.", "layer=2&head=3"),
            Try("The cat sat on the mat and the cat",
                "Layer 2, head 2: on average three quarters of a row go to the first token, the line end. Leave out ÷ √64: what is left for the others?", "layer=1&head=1"),
            Try("The bear ate the honey because it was",
                "What is “it”? In layer 2 head 5 looks from “it” at “bear” (54 %), head 6 at “honey” (34 %): "
                "a model of this size does not settle it. The translator does: see Cross-attention.",
                "layer=1&head=4"),
        ),
        (
            "Vaswani et al., Attention Is All You Need, 2017, sec. 3.2",
            "Bahdanau, Cho & Bengio, Neural Machine Translation by Jointly Learning to Align and Translate, 2015 (additive score)",
            "Luong, Pham & Manning, Effective Approaches to Attention-based Neural Machine Translation, 2015 (dot and bilinear score)",
            "Xiong et al., On Layer Normalization in the Transformer Architecture, 2020 (norm first)",
        ),
        "The notes show one head of an encoder with made-up weights. Shown is one head of a trained decoder: a word sees only what stands "
        "before it, so the upper triangle is hidden. The notes divide by d in places; the model divides by √d. Their worked example has wrong numbers: below it "
        "is shown beside the right ones. Weights say where a head reads, not why the model answers.",
        ("ngrams",),
        first="layer=0&head=3",
    ),
    Lesson(
        "heads", "17_heads.py", "Attention", "Heads", "What does each head do, and does its weight explain the answer?", "transformer",
        "The students opened their books because they wanted to read",
        (
            Try("The students opened their books because they wanted to read", "Head 1 of layer 2 looks at the token before: a line of cells under the diagonal.", "layer=1&head=0"),
            Try('She said: "The king is here." He said: "The queen is gone."',
                "Head 2 of layer 2 reads colons, full stops and quotation marks, 99 % of the time: whole columns light up.", "layer=1&head=1"),
            Try("The dog was called Tibbleford. We all liked T",
                "An induction head: from the second “T” head 3 of layer 5 looks at “ib”, which followed the first one. That is why “ib” is expected, with 83 %.", "layer=4&head=2"),
        ),
        (
            "Clark, Khandelwal, Levy & Manning, What Does BERT Look At? An Analysis of BERT's Attention, 2019",
            "Olsson et al., In-context Learning and Induction Heads, 2022",
            "Abnar & Zuidema, Quantifying Attention Flow in Transformers, 2020 (rollout)",
            "Jain & Wallace, Attention is not Explanation, 2019; Wiegreffe & Pinter, Attention is not not Explanation, 2019",
        ),
        "The notes give each head a clean role (syntax, meaning, coreference). Here a role is measured: a head gets a tag only where its weights "
        "on real pairs clearly beat those on shuffled text, and most heads get none.",
        ("attention",),
    ),
    Lesson(
        "positions", "18_positions.py", "Attention", "Positions", "How does the model know which word comes first?", "transformer",
        "The dog bites the man and the man bites the dog",
        (
            Try("The dog bites the man and the man bites the dog", "The same words in two orders. Choose None above, then RoPE or ALiBi, and compare where the heads look."),
            Try("one two three four five six seven eight nine ten", "Choose ALiBi: head 1 loses most for each token back, head 4 almost nothing. Then T5: there the numbers were learned."),
            Try("man dog bites", "Three words have six orders. Shuffle them below: without positions and without a mask no number changes."),
        ),
        (
            "Vaswani et al., Attention Is All You Need, 2017, sec. 3.5 (sinusoidal)",
            "Shaw, Uszkoreit & Vaswani, Self-Attention with Relative Position Representations, 2018",
            "Raffel et al., Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer (T5), 2020, sec. 2.1",
            "Su et al., RoFormer: Enhanced Transformer with Rotary Position Embedding, 2021",
            "Press, Smith & Lewis, Train Short, Test Long: Attention with Linear Biases Enables Input Length Extrapolation, 2022",
            "Haviv et al., Transformer Language Models without Positional Encodings Still Learn Positional Information, 2022",
            "Chen et al., Extending Context Window of Large Language Models via Positional Interpolation, 2023",
        ),
        "The notes' table of six dimensions is wrong in dimensions 2 and 4 (below it is right). They call relative position a linear function of the encodings: it is "
        "PE(p + k) that is a linear function of PE(p), a rotation that depends on k only. They say that learned positions can be extrapolated: beyond the last row "
        "there is nothing. They let RoPE rotate token embeddings: it turns queries and keys, in every layer, and never the values.",
        ("attention",),
    ),
    Lesson(
        "transformer", "19_transformer.py", "Attention", "Transformer", "What happens to one token on its way through the whole model?", "transformer",
        "The president of the United",
        (
            Try("The president of the United",
                "“States” begins with “St”, and each layer makes it likelier: 1.4 % after layer 1, then 4.2, 13 and 61 %, 97 % after layer 5. "
                "The feed-forward parts of layers 1 and 5 push it most.", "stop=31"),
            Try("as soon as possible, as well", "“as” stands first from layer 1 on, with 58 %; in the end it has 97 %. Of all heads, head 2 of layer 4 pushes it most.", "stop=22"),
            Try("He shook his", "“head” stands first after layer 1, with 14 %; layer 2 makes that 44 %, and in the end it is 91 %. Press Play.", "stop=14"),
        ),
        (
            "Vaswani et al., Attention Is All You Need, 2017; Radford et al., Language Models are Unsupervised Multitask Learners, 2019 (norm first)",
            "nostalgebraist, interpreting GPT: the logit lens, 2020",
            "Elhage et al., A Mathematical Framework for Transformer Circuits, 2021 (the stream as a sum)",
            "Xiong et al., On Layer Normalization in the Transformer Architecture, 2020",
            "Dao, Fu, Ermon, Rudra & Ré, FlashAttention, 2022; Katharopoulos et al., Transformers are RNNs, 2020 (linear); Beltagy et al., Longformer, 2020 (window)",
        ),
        "The notes have the norm after each part and say that it works better; the shipped model has it first, as GPT-2. They compare O(n) with O(n²) and leave out the width, count 13 words where "
        "there are 15, and say that layers without bends collapse to one linear map: all of it is measured below. "
        "The lens reads every layer with the last norm and the output weights: an early layer was "
        "never trained to be read so. A push is not a cause: what happens when a part is taken away is shown in Model surgery.",
        ("attention",), first="stop=31",
    ),
    Lesson(
        "decoding", "20_decoding.py", "Attention", "Decoding", "The model gives every token a probability. Which one is written?", "transformer",
        "The king said that he would",
        (
            Try("The king said that he would", "Press Top-p 0.9, then Min-p 0.1: how many tokens are left, and how much of the mass was cut?", "rules=p0.9"),
            Try("One day the old man went to the sea and the old man", "Greedy takes the likeliest token each time. Compare its share of repeated 4-grams below with the drawn text’s.", "rules=p0.9"),
            Try("It was a very", "Temperature 2 lifts the tail. See how much of the mass min-p 0.1 then cuts, and try top-p 0.9 in its place.", "rules=t2_m0.1"),
        ),
        (
            "Fan, Lewis & Dauphin, Hierarchical Neural Story Generation, 2018 (top-k)",
            "Holtzman et al., The Curious Case of Neural Text Degeneration, 2020 (top-p)",
            "Nguyen et al., Turning Up the Heat: Min-p Sampling for Creative and Coherent LLM Outputs, 2024",
            "Meister et al., Locally Typical Sampling, 2023",
            "Keskar et al., CTRL: A Conditional Transformer Language Model for Controllable Generation, 2019 (repetition penalty)",
            "Wu et al., Google's Neural Machine Translation System, 2016 (length penalty; ours divides by a power of the length, as the library transformers does)",
            "Bengio et al., Scheduled Sampling for Sequence Prediction with Recurrent Neural Networks, 2015",
            "Welleck et al., Neural Text Generation with Unlikelihood Training, 2020 (share of repeated n-grams)",
        ),
        "The notes name greedy, sampling and beam search without formulas or a length penalty, and say nothing of what a rule cuts. Here every rule works on the whole vocabulary, "
        "in the order penalty, temperature, top-k, top-p, min-p, typical, and says what it cut. Where they call the decoder slow they do not say that keys and values can be kept; "
        "both ways are measured.",
        ("attention",),
    ),
    Lesson(
        "bert", "21_bert.py", "Attention", "BERT", "What does a word mean here, seen from both sides?", "bert",
        "The bank by the river is muddy.",
        (
            Try("The bank by the river is muddy.", "“bank” is hidden. From the left there is only “the”. Hide “river” too: three kinds of water share its place.", "masks=2&token=2"),
            Try("The bat flew out of the cave at night.", "“cave” is hidden. From the left “night” is possible too; “at night” behind the gap rules it out.", "masks=7&token=7"),
            Try("I went to the store.\nI bought some milk.", "Two sentences, A and B: IsNext. Now hide “milk”: butter, sugar and eggs fit as well.", "masks=&token=0"),
            Try("I went to the store.\nQuantum physics explores subatomic particles.", "Each sentence is fine, the pair is not: NotNext.", "masks=&token=0"),
            Try("I went to the bank in the morning.\nI walked along the bank of the river.", "Two banks: NotNext. Write “I took money from the bank.” in the second line instead.", "masks=&token=0"),
        ),
        (
            "Devlin, Chang, Lee & Toutanova, BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding, 2019",
            "Liu et al., RoBERTa: A Robustly Optimized BERT Pretraining Approach, 2019",
            "Lan et al., ALBERT: A Lite BERT for Self-supervised Learning of Language Representations, 2020",
            "Sanh et al., DistilBERT, a distilled version of BERT, 2019",
            "Clark et al., ELECTRA: Pre-training Text Encoders as Discriminators Rather Than Generators, 2020",
            "Ethayarajh, How Contextual are Contextualized Word Representations?, 2019",
        ),
        "The notes say that 15 % of the words are masked, and leave out that only 80 % of these become [MASK], while 10 % become another word and 10 % stay: that keeps the model "
        "from working at masks alone. “Each batch has different words masked” is RoBERTa; BERT's own masks were drawn before training, ten times for each text. The notes' large "
        "model of 340 million has 335,141,888 numbers.",
        ("transformer",),
        first="masks=2&token=2",
    ),
    Lesson(
        "translation", "23_translation.py", "Attention", "Cross-attention", "Where does a translator look while it writes?", "encoder_decoder",
        "The small black cat ate the mouse\nLe petit chat noir",
        (
            Try("The small black cat ate the mouse\nLe petit chat noir",
                "One adjective stays before its noun, the other crosses it: to write “noir”, head 1 of layer 2 of the shipped model looks back past the cat at “black” (99.7 %). "
                "To write “Le” it looks at “cat”: the article needs the gender of the noun."),
            Try("The cat sat on the mat", "Press Play: Le, chat, s'est, assis, sur, le, tapis."),
            Try("The dog did not cross the street because it was tired\nLe chien n'a pas traversé la rue parce qu'il était fatigué",
                "“It” is the dog: to write “qu'il”, head 1 of layer 2 looks at “dog” (over 99.9 %). Write wide for tired and Begin again: now it is the street, elle, and there it looks."),
            Try("The key is white and it is small\nLa clé est blanche et elle est petite", "“It” becomes elle, for la clé. Write “box”, “book” or “hat” for “key”."),
        ),
        (
            "Vaswani et al., Attention Is All You Need, 2017, sec. 3.1 and 3.2.3",
            "Sutskever, Vinyals & Le, Sequence to Sequence Learning with Neural Networks, 2014 (recurrent, without attention); Cho et al., 2014",
            "Bahdanau, Cho & Bengio, Neural Machine Translation by Jointly Learning to Align and Translate, 2015 (recurrent, with attention)",
            "Luong, Pham & Manning, Effective Approaches to Attention-based Neural Machine Translation, 2015 (where the recurrent one looks)",
            "Press & Wolf, Using the Output Embedding to Improve Language Models, 2017 (weight tying)",
            "Raffel et al., Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer, 2020 (T5)",
        ),
        "The notes tell where “Le” looks without measuring it: here all weights are a trained model's. They once take queries and keys from the encoder and values from the decoder: "
        "then the shapes do not fit; queries come from the decoder, keys and values from the encoder, in training and in use alike. They say that the decoder is trained one token at a time: "
        "all places are computed at once, behind the mask. Only the target that can be read differs in use. They give T5 shared weights of encoder and decoder: it shares the table of words. "
        "They write “Le chat est assis” and “Le chat s'est assis” for one sentence; the second is taken.",
        ("attention",),
    ),
    Lesson(
        "patching", "22_patching.py", "Attention", "Model surgery", "What happens if I switch this head off?", "transformer",
        "The girl looked at the old man and shook",
        (
            Try("The girl looked at the old man and shook",
                "Head 4 of layer 3 of the shipped model looks back at “girl”. Without it “her” falls from 53 % to 32 %, and “his” is the likeliest.",
                "layer=2&head=3&edits=reading:2:3:*:scale:0"),
            Try("The boy looked at the old woman and shook",
                "A boy, and yet “her”: head 3 of layer 5 gives 96 % of its reading to “woman”. Without that one weight “her” falls from 83 % to 54 %.",
                "layer=4&head=2&token=9&other=7&edits=attention:4:2:9:7:set:0"),
            Try("The dog was called Llanfair. We all liked L",
                "Head 3 of layer 5 looks for what came after “L” before. Without it “l” falls from 82 % to 3.4 %. "
                "Put it back and switch off head 1 of layer 2, which tells each token what stood before it: 0.5 %. The two work together.", "layer=4&head=2&edits=reading:4:2:*:scale:0"),
            Try("The president of the United",
                "“United” is two tokens, “Un” and “ited”. Without head 2 of layer 1, which looks at the one before, “St” (for States) falls from 97 % to 11 %.",
                "layer=0&head=1&edits=reading:0:1:*:scale:0"),
        ),
        (
            "Michel, Levy & Neubig, Are Sixteen Heads Really Better than One?, 2019 (heads switched off)",
            "Vig et al., Investigating Gender Bias in Language Models Using Causal Mediation Analysis, 2020",
            "Meng, Bau, Andonian & Belinkov, Locating and Editing Factual Associations in GPT, 2022 (patching by layer and token)",
            "Zhang & Nanda, Towards Best Practices of Activation Patching in Language Models, 2024",
        ),
        "The notes read roles off attention weights. Here a head is taken away and it is measured what changes. That an answer changes shows that the head was used for it, "
        "not that it is its only use, nor that no other head can stand in for it.",
        ("heads", "transformer"), first="layer=2&head=3&edits=reading:2:3:*:scale:0",
    ),
    Lesson(
        "scale", "24_scale.py", "Attention", "Scale", "Why did reading all words at once win, and what does size buy?", "transformer",
        "The weather is beautiful today",
        (),
        (
            "Vaswani et al., Attention Is All You Need, 2017, table 1",
            "Kaplan et al., Scaling Laws for Neural Language Models, 2020",
            "Brown et al., Language Models are Few-Shot Learners, 2020",
            "Schaeffer, Miranda & Koyejo, Are Emergent Abilities of Large Language Models a Mirage?, 2023",
            "Ouyang et al., Training Language Models to Follow Instructions with Human Feedback, 2022; Rafailov et al., Direct Preference Optimization, 2023",
        ),
        "The notes give the size of GPT-4, which was never published: it is left out. They call attention parallel and recurrence sequential without saying that "
        "writing is sequential for both, and that the number of processors decides. They give no formula for scaling laws or preference; both are here.",
        ("attention",),
        live=False,
    ),
)  # fmt: skip
