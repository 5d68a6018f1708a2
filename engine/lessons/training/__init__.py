"""Training room: how does a model learn a text, and what can you see while it learns?"""

from __future__ import annotations

from engine.course.base import Lesson, Step

LESSON = Lesson(
    id="training",
    era="Your own models",
    title="Training room",
    question="How does a model learn a text, and what can you see while it learns?",
    model="",
    example="",
    tries=(),
    sources=(
        (
            "Goodfellow, Bengio & Courville, Deep Learning, 2016, ch. 7 and 8 (early stopping, optimisation)"
        ),
        (
            "Pascanu, Mikolov & Bengio, On the Difficulty of Training Recurrent Neural Networks, 2013 (clipping)"
        ),
        (
            "Loshchilov & Hutter, Decoupled Weight Decay Regularization, 2019; SGDR: Stochastic "
            "Gradient Descent with Warm Restarts, 2017"
        ),
        (
            "Rajbhandari, Rasley, Ruwase & He, ZeRO: Memory Optimizations Toward Training "
            "Trillion Parameter Models, 2020, sec. 3 (what training holds in memory)"
        ),
    ),
    differs="The notes show a loss that falls smoothly. Here the loss of each single step is drawn too: it jumps "
    "from batch to batch, and only its mean falls. A lower loss on the training text proves nothing by itself, so "
    "part of the text is held out and measured as well.\n"
    "They advise a higher threshold where clipping is rare; rare clipping means that the threshold is high "
    "already.\n"
    "Their memory for training an LSTM, 1,024 MB for 100 texts of 500 tokens and 1,024 units, has three gates and "
    "leaves out the candidate; with it, 1,229 MB.\n"
    "They divide a padded loss once by the number of texts and once by the number of tokens: with a loss of 1 at "
    "each of 12 tokens in three texts, that is 4 or 1.\n"
    "They advise padding a batch to its longest text, but their program pads all texts to 512.\n"
    "Their program for half precision never sets the gradients to zero, so that each step adds to those before, "
    "and takes its context from a module that torch has retired.\n"
    "They clip right after the optimiser is made, where there are no gradients yet and torch finds nothing to clip; "
    "and their sum over a matrix is a row, not a norm.",
    minutes=20,
    before=("corpora",),
    live=False,
    minute=(
        Step(
            "Before anything starts, the price: an LSTM of 256 units has 875,966 numbers to "
            "learn from these stories.",
            link="training.mode=Train a model&training.text.text=stories&training.lstm.layers=2&training.lstm.width=64"
            "&training.lstm.tokenizer=chars&training.model=lstm&training.lstm.units=256",
            panel="part-cost",
        ),
        Step(
            "3.8 times: 3,320,766. The weights from state to state grow with the square of the number of units.",
            link="training.mode=Train a model&training.text.text=stories&training.lstm.layers=2&training.lstm.width=64"
            "&training.lstm.tokenizer=chars&training.model=lstm&training.lstm.units=512",
            panel="part-cost",
            asks="512 units instead of 256: how many times the parameters?",
            choices=("2", "3.8", "8"),
        ),
        Step(
            "An n-gram model only counts: it has n-grams where others have parameters, 122,128 of them here.",
            link="training.mode=Train a model&training.text.text=stories&training.lstm.layers=2&training.lstm.width=64"
            "&training.lstm.tokenizer=chars&training.model=ngram",
            panel="part-cost",
        ),
    ),
    topics="""
- | Train a neural Turing machine | lstm B46 | | model=ntm
    An LSTM with read and write heads on a memory of slots, found by content and by location; every
    address and every slot can be inspected.
    neural Turing machine, NTM, differentiable memory, memory-augmented network, copy task,
    external memory, read and write heads, content-based addressing
- | Train a model of your own | transformers N3 N8; rnn E24
    Choose a model, a text and settings; memory and time are estimated first.
    train an LSTM, train a small LSTM, training loop, fit, checkpoint, hyperparameters, seed,
    reproducibility, how long training takes
- | Loss and gradient norm while training | rnn C4; lstm B34; transformers L16 N9; language_models P51
    Curves that grow while a model learns, with the threshold of clipping.
    loss curve, gradient norm, monitoring, TensorBoard, cross-entropy loss
settings-training | Optimisers: SGD, Adam, AdamW, RMSprop, Muon | rnn E21; lstm B33
    A setting of every training: how a gradient becomes a step.
    optimizer, Adam, AdamW, RMSprop, momentum, gradient descent
- | Fine-tune a run: begin with its weights | transformers L8; lstm B38
    A training that goes on from a finished run: all its weights, its last layers, adapters or LoRA.
    fine-tuning, continue training, start from a run, resume from a run
settings-training | Learning-rate schedules and warm-up | transformers L14
    Constant, linear, cosine, Noam, step or plateau, with steps in which the rate climbs.
    warmup, Noam, cosine decay, linear decay, plateau, learning rate
settings-training | Gradient clipping | rnn C1 C2 C3; lstm B05; transformers K15; foundations N29
    By norm, by value or adaptive, with its threshold.
    clip, norm clipping, value clipping, exploding gradients, threshold
settings-training | Dropout, weight decay and label smoothing | rnn E28; language_models M08
    Settings that keep a model from learning its text by heart.
    dropout, L2, weight decay, label smoothing, recurrent dropout, overfitting
settings-training | Early stopping | rnn E28
    Training ends after so many measurements without a better one, and keeps the best.
    patience, best checkpoint
settings-training | How weights begin |
    rnn B6; lstm B01 B02 B03 B04; transformers K1 K2; foundations N24 N25 | | model=lstm
    Uniform, Xavier, He or orthogonal start, and the bias of the forget gate.
    Xavier, Glorot, He, Kaiming, orthogonal, weight initialization, forget bias
settings-training | Batches: accumulation, passages, stateful reading | lstm B20
    How many windows one step reads, in how many parts, and whether the state is carried on.
    gradient accumulation, mini-batch, bucketing, padding, stateful, truncated BPTT, TBPTT
settings-training | Less memory: checkpointing and mixed precision | language_models M14
    Compute twice instead of keeping, or compute with half the digits.
    gradient checkpointing, AMP, mixed precision, recompute, GradScaler
settings-model | Layers, width and residual connections of a recurrent model | lstm B26 | | model=lstm
    Settings of the model: stacked layers, hidden size, residual connections.
    stacked LSTM, deep RNN, hidden size, residual LSTM, layers
settings-model | Multi-query and grouped-query attention | language_models M89 | | model=transformer
    A setting of the Transformer: heads that share keys and values.
    MQA, GQA, multi-query attention, groups
settings-training | Quantisation-aware training | transformers N5 N7; language_models M24
    A setting: in the last quarter the weights are read in 4, 6 or 8 bits.
    quantization, int8, 4-bit, QAT
""",
)
