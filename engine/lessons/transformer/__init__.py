"""Transformer: what happens to one token as it passes through the whole model, and what size brings?"""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try

LESSON = Lesson(
    id="transformer",
    era="Attention",
    title="Transformer",
    question="What happens to one token as it passes through the whole model?",
    model="transformer",
    also=("bert",),
    offers="smollm2",
    example="The president of the United",
    tries=(
        Try(
            "The president of the United",
            "“States” begins with “St”, and each layer makes it likelier: 1.4 % after layer 1, then 4.2, 13 and 61 "
            "%, and 97 % after layer 5. The feed-forward blocks of layers 1 and 5 contribute most.",
            link="stop=31",
        ),
        Try(
            "as soon as possible, as well",
            "“as” ranks first from layer 1 on, with 58 % there and 97 % at the end. Of all "
            "heads, head 2 of layer 4 contributes most.",
            link="stop=22",
        ),
        Try(
            "He shook his",
            "Press Play. “head” ranks first after layer 1, with 14 %. Layer 2 raises that "
            "to 44 %, and it ends at 91 %.",
            link="stop=14",
        ),
    ),
    sources=(
        (
            "Vaswani et al., Attention Is All You Need, 2017; Radford et al., Language Models "
            "are Unsupervised Multitask Learners, 2019 (norm first)"
        ),
        "nostalgebraist, interpreting GPT: the logit lens, 2020",
        "Elhage et al., A Mathematical Framework for Transformer Circuits, 2021 (the stream)",
        "Xiong et al., On Layer Normalization in the Transformer Architecture, 2020",
        (
            "Dao, Fu, Ermon, Rudra & Ré, FlashAttention, 2022; Katharopoulos et al., "
            "Transformers are RNNs, 2020 (linear); Beltagy et al., Longformer, 2020 (window)"
        ),
        "Kaplan et al., Scaling Laws for Neural Language Models, 2020",
        "Schaeffer et al., Are Emergent Abilities of Large Language Models a Mirage?, 2023",
    ),
    differs="The notes put the norm after each block and say that this works better; the shipped model puts it "
    "first, like GPT-2.\n"
    "They compare O(n) with O(n²) and leave out the width.\n"
    "They say that layers without non-linearities collapse to one linear map. All of this is checked below. The "
    "logit lens reads every layer with the last norm and the output weights, although early layers were never "
    "trained for it. A contribution is not a cause; Model surgery shows what happens when a block is removed.\n"
    "They read the next token off the values of the last head; it is read off the output of the last block, whose "
    "width is that of the embeddings, or the shapes do not match.\n"
    "They share the embedding table with the output without saying that the first Transformer multiplied the "
    "embeddings by the root of their width.\n"
    "They put a non-linearity behind the output weights of attention; there is none, and the non-linearity stands "
    "in the feed-forward part.\n"
    "They give attention for a language model without the mask that it needs.\nTheir program puts the batch first "
    "without telling torch's block so; each token then attends to the tokens at its place of the other texts.\n"
    "They call attention parallel and recurrence sequential, but do not say that writing is sequential for both, "
    "or that the gain depends on the number of processors.\n"
    "They say that GPT-2 changed the activation; GPT-1 had GELU already.",
    minutes=20,
    before=("attention",),
    minute=(
        Step(
            "In layer 4. “St”, for States, has 1.4 % after layer 1, then 4.2, 13 and 61 %, and 97 % after layer 5.",
            text="The president of the United",
            link="stop=31",
            panel="lens",
            asks="The next word has to be “States”. In which layer does it become likely?",
            choices=("layer 1", "layer 4", "the last"),
            covers=("pushes",),
        ),
        Step(
            "“head” ranks first already after layer 1, with 14 %. Layer 2 raises that to 44 %, and it ends at 91 %.",
            text="He shook his",
            link="stop=14",
            panel="lens",
        ),
        Step(
            "Every block adds its push. Of all heads, head 2 of layer 4 pushes “as” up most.",
            text="as soon as possible, as well",
            link="stop=22",
            panel="pushes",
        ),
    ),
    topics="""
flow | The way of one token through a Transformer | transformers E7 G1 I1 I7; foundations N100 S25 S36 S51
    Embedding, attention, feed-forward, norm and logits, with this token's numbers at each stop.
    residual stream, Transformer, decoder-only, GPT, architecture, information flow
flow | Encoder block | transformers E2; foundations S26 | | run=bert
    The same way through BERT, whose tokens see both sides.
    encoder layer, encoder stack, BERT block
lens | Logit lens | foundations N100
    What the model would answer after every layer.
    early exit, layer by layer, refinement
pushes | Who pushed the answer | transformers G9
    How far each part of the model moved the logit of the answer.
    attribution, contribution, residual stream as a sum
part-norm-and-depth | Layer norm and residual connections | transformers G5 G7 G8 G9; foundations N98 N99 S31 N27
    Norm first or last, with or without the short cut: how much gradient reaches the first block.
    LayerNorm, pre-norm, post-norm, skip connection, residual, epsilon
part-time-and-memory | Time and memory of a long text | transformers A9 A14
    Operations and bytes by formula.
    quadratic cost, O(n²), FlashAttention, memory
part-paths | How far apart two words are | transformers A4 A9 B1 J17; language_models P56
    Hops between two words in recurrence, attention and convolution; how far a stack sees.
    long-range dependency, receptive field, maximum path length, telephone game
part-who-mixes-tokens | Feed-forward part, and who mixes tokens | transformers G1 G2 G4; foundations S32
    One token is disturbed: which outputs move, and how sparse the inner numbers are; the same as two convolutions.
    FFN, MLP block, position-wise, ReLU, GELU, sparsity, 1x1 convolution
part-parameters | Where the parameters are | transformers E6 I3 I4; lstm B43
    Part by part for this model, GPT-2, GPT-3 and your own numbers.
    parameter count, weight tying, tied embeddings, size, parameters of a Transformer,
    how many parameters a Transformer has
part-paths | One word after the other, or all at once |
    transformers A1 A7 A10; language_models P57; rnn E26 | transformers A6 A11
    When each state is ready, in recurrence and attention, and the time it takes.
    sequential, parallelism, GPU, hardware, RNN against Transformer, throughput
part-what-size-buys | Scaling laws | transformers I6; language_models M10
    Loss against parameters and text, and what twice the size buys.
    Kaplan, power law, loss and size
part-parameters | The GPT series in numbers | transformers A12 I2 I3 I4 I5; language_models M13 | transformers I12
    Layers, width and parameters of GPT-1, GPT-2 and GPT-3, counted; and why not GPT-4.
    GPT-1, GPT-2, GPT-3, GPT-4, large language models, LLM
part-what-size-buys | Skills that seem to come all at once | transformers A13
    One smooth law, counted per token and per answer.
    emergent abilities, mirage, emergence
part-a-dialogue-in-a-window | A dialogue in a window | transformers J5
    Turns that you type, and what of them a model still reads when it answers.
    conversational state, chatbot memory, context window, falls out of the context
""",
)
