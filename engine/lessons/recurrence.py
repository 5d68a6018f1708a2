"""Lessons on networks that carry a state from token to token."""

from __future__ import annotations

from engine.lessons.base import Lesson, Try

RECURRENCE = (
    Lesson(
        id="feedforward",
        era="Recurrence",
        title="Feed-forward language model",
        question="What can a net know that sees only the last few words?",
        minutes=12,
        before=("ngrams",),
        model="feedforward",
        example="Mary said that she would not come, because",
        tries=(
            Try(
                "Mary said that she would not come, because",
                "“Mary” and “she” have left the window. Look for “she” in the three lists, then point at"
                " “she” in the sentence: what did the net expect there?",
            ),
            Try(
                "John, who was born in France, came to us as a boy. He still spoke",
                "“England” in the place of “France”, 11 tokens back, changes nothing at all for the net:"
                " only a window of 12 tokens would hold both. The LSTM has carried a little of it along.",
                "with=England",
            ),
            Try(
                "He shook his",
                "What it needs is near, and three words are enough: the net, the n-grams and the LSTM all"
                " say “head”.",
            ),
            Try(
                "the dog bit the man",
                "Swap “dog” and “man”. The same words stand in other places of the window, meet other"
                " weights, and another word is expected next.",
            ),
        ),
        sources=(
            "Bengio, Ducharme, Vincent & Jauvin, A Neural Probabilistic Language Model, 2003",
            "Schwenk, Continuous Space Language Models, 2007 (trained on large texts)",
            (
                "Waibel, Hanazawa, Hinton, Shikano & Lang, Phoneme Recognition Using Time-Delay Neural"
                " Networks, 1989 (a window that slides)"
            ),
            (
                "Li, Monroe & Jurafsky, Understanding Neural Networks through Representation Erasure,"
                " 2016 (what one word changes)"
            ),
        ),
        differs="The notes close a bracket too early, so that the bias of the hidden layer is added"
        " behind the softmax: the answers no longer sum to 1, and that bias would need a number for each"
        " word of the vocabulary.\n"
        "They leave the table of word vectors out of what is learned; it is learned with the rest.\n"
        "They name a fixed context among the limits of n-grams that neural models lift. This one has a"
        " fixed context too: it sees more alike in the words of its window, and no word more.\n"
        "They say that a recurrent net learns to attend to what matters. It keeps or drops each word as it"
        " comes, and cannot look back; to look back at what was read is what attention does.\n"
        "Their window from x_{t−n} to x_t holds n + 1 words; here a window of n words holds n.\n"
        "At “speaks fluent French” they let a window of five words hold the beginning of the sentence, “John"
        " who had grown up”; it holds the last five.\n"
        "Before the start of the text there is nothing here: zeros stand in those places.",
    ),
    Lesson(
        id="rnn",
        era="Recurrence",
        title="Recurrent net",
        question="How does one small network read a text of any length?",
        minutes=15,
        before=("ngrams",),
        model="rnn",
        example="The bank by the river is steep",
        tries=(
            Try(
                "The bank by the river is steep",
                "Press Fold, then Unfold. The same three matrices sit on the arrows of every step.",
            ),
            Try(
                "la la la la",
                "The same letters again and again. A network without a state would give the"
                " same answer each time; compare the strips.",
            ),
            Try(
                "The cat sat on the mat",
                "Change a letter in the middle: everything to its left stays as it was,"
                " everything after it changes.",
            ),
        ),
        sources=(
            "Elman, Finding Structure in Time, 1990",
            "Mikolov et al., Recurrent Neural Network Based Language Model, 2010",
            "Werbos, Backpropagation Through Time: What It Does and How to Do It, 1990 (unfolding)",
            (
                "Bengio, Ducharme, Vincent & Jauvin, A Neural Probabilistic Language Model, 2003"
                " (the network over a window)"
            ),
            "Schuster & Paliwal, Bidirectional Recurrent Neural Networks, 1997",
        ),
        differs="The notes say that traditional networks cannot use what came before; a network over "
        "a window can, as far back as the window reaches.\n"
        "They say that the state holds everything; it has a fixed number of units, so "
        "something is lost.\n"
        "They say that the state at “bank” tells the two meanings apart; reading forwards it "
        "cannot, as “Two banks, one state” shows.\n"
        "Their output has no softmax; predicting a token needs one.\n"
        "A layer in torch has two biases; here they are added together.\n"
        "They write the output as W h with a vector W; that product needs W transposed.\n"
        "They send it through the same tanh as the state, which keeps every answer between −1 "
        "and 1.\n"
        "In their example of John, “French” comes twelve words after “France”: a window of "
        "five never holds both, and what it does hold at “French” are the words just before, "
        "not “John, who had grown up” as they say.\n"
        "They predict x_t from x_t and x_{t−1}; what is predicted is x_{t+1}.\n"
        "In their drawing of the unrolled net the second input and output stand at the third state, "
        "and the third at none; here x_t, h_t and y_t stand in one column.\n"
        "Where "
        "large gradients are scaled down, the formula is missing: g becomes g · threshold / "
        "|g| as soon as its norm |g| is greater than the threshold.",
    ),
    Lesson(
        id="bptt",
        era="Recurrence",
        title="Backpropagation through time",
        question="How does an error reach the words long before it?",
        minutes=20,
        before=("rnn",),
        model="rnn",
        example="The keys to the old cabinet were",
        tries=(
            Try(
                "The keys to the old cabinet were",
                "Each row fades to the left: the gradient of one loss on its way back. Press Play to"
                " follow it.",
            ),
            Try(
                "The person who spoke multiple languages fluently applied",
                "The gradient of the last “d” of the shipped model: 1.5 after the letter before it,"
                " 0.0000027 at the start. Choose lstm above: 0.057 and 0.0016.",
            ),
            Try(
                "The keys to the old cabinet were",
                "Truncated after 8 steps: walls that no gradient passes. The state itself is handed"
                " on.",
                "chunk=8",
                label="truncated after 8 steps",
            ),
        ),
        sources=(
            "Werbos, Backpropagation Through Time: What It Does and How to Do It, 1990",
            "Rumelhart, Hinton & Williams, Learning Representations by Back-propagating Errors, 1986",
            (
                "Williams & Peng, An Efficient Gradient-Based Algorithm for On-Line Training of"
                " Recurrent Network Trajectories, 1990 (truncation)"
            ),
            "Pascanu, Mikolov & Bengio, On the Difficulty of Training Recurrent Neural Networks, 2013",
        ),
        differs="The notes first write the gradient with the path through the first state alone; every"
        " step that uses the weights adds a term, as their later formula has it. With that path"
        " alone the gradient of their own example is zero, for the state before it is zero.\n"
        "They say that only the recurrent weights need the sum over steps; those of the input"
        " need it just as much.\n"
        "They take the slope of tanh at the state; it belongs at the sum before tanh, where it"
        " is 1 − h².\n"
        "Their truncated sum runs over k + 1 steps for chunks of k, and they say that truncation"
        " brings the time from T² to T k. One sweep back takes time T in any case; what"
        " truncation saves is memory, and it gives more updates for each pass.\n"
        "They say that chunks of one text can be computed at the same time; each begins with the"
        " state that the one before it leaves.\n"
        "Their program for truncated training never says what its targets, its mask and its optimiser"
        " are; the targets of a chunk are its tokens, moved by one. Its last batch, if it is smaller,"
        " does not fit the states, and of an LSTM there are two to detach.",
    ),
    Lesson(
        id="lstm",
        era="Recurrence",
        title="LSTM gates",
        question="What does the memory keep, and when does it let go?",
        minutes=25,
        before=("rnn",),
        model="lstm",
        example='She said "yes" and went to London.',
        tries=(
            Try(
                'He asked "why not?" and left.',
                "Unit 69 of layer 2 of the shipped model: its memory is above 0 until a"
                " quotation opens, below −0.9 inside it, and above 0 again after it, up to the full"
                " stop. Nobody trained it to do that.",
                "layer=1&unit=69&field=cell",
            ),
            Try(
                "The old captain looked at the sea. He was tired.",
                "Unit 267 of layer 1 adds nearly 1 with every character and forgets next to"
                " nothing: about 46 after 48 characters. It counts the characters it has read.",
                "layer=0&unit=267&field=cell",
            ),
            Try(
                "The keys to the old cabinet w",
                "After “keys”, does the model expect “were”? The shipped model gives 71 % to"
                " “a” (was) and 17 % to “e” (were): it follows the nearest noun. Choose"
                " lstm_agreement above, which learned only from such sentences.",
            ),
            Try(
                "aaaaaaaaaa",
                ("A text unlike anything it has seen: watch the list of next characters."),
            ),
        ),
        sources=(
            "Hochreiter & Schmidhuber, Long Short-Term Memory, 1997",
            "Gers, Schmidhuber & Cummins, Learning to Forget, 2000 (the forget gate)",
            "Karpathy, Johnson & Fei-Fei, Visualizing and Understanding Recurrent Networks, 2015",
            "Cho et al., Learning Phrase Representations using RNN Encoder-Decoder, 2014 (the GRU)",
        ),
        differs="The notes draw one gate at a time for an imagined cell. Here each picture holds the "
        "gates of all units of a trained model, and every number is the model's own. Each "
        "gate has two biases, as in torch, not one. The notes count a remember gate; it is "
        "the sum that makes the new memory and has no weights of its own.\n"
        "They say that their use gate judges the new memory; the gate depends on the token "
        "and the previous state and does not see the new memory, unless there are peepholes. "
        "In one drawing the input goes into the memory by way of the hidden state; it goes "
        "through the gates into the memory, and from there into the hidden state.\n"
        "They call the output two steps and list three; it is h = o · tanh(c), and the output "
        "gate is set before it could see the new memory.\n"
        "They say that tanh sharpens contrasts; its slope is 1 at most, so it brings any two "
        "values closer together. At “bank” no gate can know that “deposit money” will follow, "
        "for the network reads forwards. And in their example of Jane the last country named "
        "is Germany too, so the answer does not show which of the two a network remembers.\n"
        "They also use learn gate as another name for the input gate; elsewhere it is i · g, "
        "what is written.\n"
        "They print C̃*t and h*{t−1} three times; C̃_t and h_{t−1} are meant.\n"
        "They say that an LSTM copes with irregular times between the records of a patient. It "
        "counts steps: the time between has to be read as an input, as a program below does.",
    ),
    Lesson(
        id="surgery",
        era="Recurrence",
        title="Surgery",
        subtitle="on an LSTM's gates",
        question="What happens if I hold a gate at a value?",
        minutes=10,
        before=("lstm",),
        model="lstm",
        example='He asked "why not?',
        tries=(
            Try(
                'He asked "why not?',
                "Unit 69 of layer 2 of the shipped model remembers an open quotation. Here its"
                " memory is held at 1 from the first quoted letter on, as if no quotation were"
                " open. The probability of the closing mark falls from 90 % to 25 %.",
                "layer=1&unit=69&field=cell&edits=cell:1:69:11-:set:1",
            ),
            Try(
                "It was a very fine day.",
                "Nothing is quoted here. The memory of unit 69 is held at −2, as if a"
                " quotation were open: the shipped model now gives a closing mark 13 % instead"
                " of 0.9 %.",
                "layer=1&unit=69&field=cell&edits=cell:1:69:1-:set:-2",
            ),
            Try(
                "In the spring of 1914 she wrote to her sister",
                "From “spring” on, all forget gates are held at 0, so only the current token"
                " is remembered. The shipped model needs 115 bits for the sentence instead of"
                " 67, and what it writes falls apart.",
                "layer=0&unit=0&field=gate.forget&edits=gate.forget:*:*:8-:set:0",
            ),
        ),
        sources=(
            (
                "Lakretz et al., The Emergence of Number and Syntax Units in LSTM Language Models,"
                " 2019 (single units switched off)"
            ),
            (
                "Bau et al., Identifying and Controlling Important Neurons in Neural Machine"
                " Translation, 2019 (units held at a value)"
            ),
            (
                "Karpathy, Johnson & Fei-Fei, Visualizing and Understanding Recurrent Networks,"
                " 2015 (the quotation unit)"
            ),
        ),
        differs="The notes say what a gate is for. Here you can test it: the change that holding a"
        " gate causes shows what the gate does in this model. If one unit changes an answer,"
        " it need not be the only cause: other units may carry the same information.",
        first="layer=1&unit=69&field=cell&edits=cell:1:69:11-:set:1",
    ),
    Lesson(
        id="memory",
        era="Recurrence",
        title="Memory ledger",
        question="Which tokens wrote what the memory holds now?",
        minutes=10,
        before=("lstm",),
        model="lstm",
        example='She said "yes" and went to London.',
        tries=(
            Try(
                'He asked "why not?" and left.',
                "Unit 69 of layer 2 of the shipped LSTM: at the opening mark it drops all it"
                " held, at the next letter it does so again and writes −1. That value stays"
                " until the closing mark.",
                "layer=1&unit=69",
            ),
            Try(
                "In 1914 (before the war) he wrote",
                "Unit 151 of layer 2 of the shipped LSTM forgets more slowly than any other in"
                " its layer: of what the year and the bracket wrote, 52 to 61 % is still there"
                " at the end.",
                "layer=1&unit=151",
            ),
            Try(
                'He asked "why not?" and left the house without a word.',
                "Unit 267 of layer 1 of the shipped LSTM: no token wrote more than 1, yet the"
                " memory is above 51. A sum like this has no bound.",
                "layer=0&unit=267",
            ),
        ),
        sources=(
            (
                "Hochreiter & Schmidhuber, Long Short-Term Memory, 1997, sec. 3.2 (the constant"
                " error carousel)"
            ),
            "Gers, Schmidhuber & Cummins, Learning to Forget, 2000 (the forget gate)",
            (
                "Karpathy, Johnson & Fei-Fei, Visualizing and Understanding Recurrent Networks,"
                " 2015, sec. 4.2 (cells with a meaning)"
            ),
        ),
        differs="The notes treat gates of 0.9, 0.8, 0.7 as weights of older and older words; gates "
        "multiply, and leave 0.9, 0.72, 0.504.\n"
        "They say that tanh keeps the memory from growing; it bounds what is written at one "
        "step, not the sum over all steps.\n"
        "They ask for an input gate near 0 so that gradients survive; a forget gate near 1 is "
        "enough, as long as one follows the memory itself and ignores the paths through the "
        "gates.\n"
        "They give a lasting fact units whose forget gate is near 1, and noise units whose "
        "gate is near 0. In the shipped LSTM, over the example of this page, the mean gate of "
        "4 of 768 units is above 0.9, and none is below 0.1; most lie between.",
    ),
    Lesson(
        id="external",
        era="Recurrence",
        title="External memory",
        question="What does a network do with a memory that it can write to and read from?",
        minutes=15,
        before=("memory",),
        model="ntm",
        example="bhacegda=bhacegda",
        tries=(
            Try(
                "bhacegda=bhacegda",
                "Squares run down as it writes each letter to the next slot; behind = the dots run"
                " down the same slots as it reads them in order.",
            ),
            Try(
                "aabbaabb=aabbaabb",
                "The same two letters again and again. Which one comes next follows from the place"
                " alone: looking for a letter like this one would not help.",
            ),
            Try(
                "gbdhfaecgbdhfaec=gbdhfaecgbdhfaec",
                "Sixteen letters; in training no line had more than ten. The machine goes on down"
                " its slots; the LSTM goes wrong at the sixth.",
            ),
        ),
        sources=(
            "Graves, Wayne & Danihelka, Neural Turing Machines, 2014",
            "Collier & Beel, Implementing Neural Turing Machines, 2018 (how the memory begins)",
            (
                "Graves et al., Hybrid Computing Using a Neural Network with Dynamic External"
                " Memory, 2016"
            ),
            "Weston, Chopra & Bordes, Memory Networks, 2015",
        ),
        differs="The notes call the memory of their listing addressed by content; its weights come"
        " from the hidden state alone and never look at the memory, so what stands there has no say"
        " in where it writes or reads.\n"
        "It only adds and never erases, it reads before it writes, so that the first reading is always"
        " zero, and what is read never comes back into the LSTM.\n"
        "It adds a hidden state and a reading, which fails unless a slot has as many numbers as the"
        " state has units.\n"
        "Here, as in the paper, a head compares its key with the slots, then moves along them; it"
        " erases, then adds; and the reading is part of the next input.",
    ),
    Lesson(
        id="units",
        era="Recurrence",
        title="Unit detective",
        question="What does a single unit respond to?",
        minutes=10,
        before=("lstm",),
        model="lstm",
        example="",
        tries=(),
        sources=(
            "Karpathy, Johnson & Fei-Fei, Visualizing and Understanding Recurrent Networks, 2015",
            (
                "Strobelt, Gehrmann, Pfister & Rush, LSTMVis: A Tool for Visual Analysis of Hidden"
                " State Dynamics in Recurrent Neural Networks, 2018"
            ),
            "Benjamini & Hochberg, Controlling the False Discovery Rate, 1995",
            (
                "Mann & Whitney, On a Test of Whether One of Two Random Variables is Stochastically"
                " Larger than the Other, 1947 (the AUC)"
            ),
        ),
        differs="The notes say, without a measurement, what a cell holds, such as the subject of a"
        " sentence. Here every unit is tested against every hypothesis: most tell a little"
        " about many, few tell one thing well. LSTMVis uses one threshold for all units; here"
        " the threshold is a share of each unit's own values, and low values count as much as"
        " high ones.",
        live=False,
    ),
    Lesson(
        id="cells",
        era="Recurrence",
        title="Compare cells",
        subtitle="which remembers longest",
        question="Which cell remembers longest, and what does it cost?",
        minutes=15,
        before=("lstm",),
        model="lstm",
        example="",
        tries=(),
        sources=(
            (
                "Bengio, Simard & Frasconi, Learning Long-Term Dependencies with Gradient Descent"
                " is Difficult, 1994"
            ),
            (
                "Hochreiter & Schmidhuber, Long Short-Term Memory, 1997, sec. 5 (tasks with a known"
                " lag)"
            ),
            (
                "Jozefowicz, Zaremba & Sutskever, An Empirical Exploration of Recurrent Network"
                " Architectures, 2015 (the forget bias decides)"
            ),
            "Greff et al., LSTM: A Search Space Odyssey, 2017",
            (
                "Linzen, Dupoux & Goldberg, Assessing the Ability of LSTMs to Learn"
                " Syntax-Sensitive Dependencies, 2016 (agreement)"
            ),
        ),
        differs="The notes say, without measurements, that an LSTM remembers hundreds of steps and "
        "resists noise, and that a GRU is 30 % faster. With torch's initial values an LSTM's "
        "gradient vanishes too; the forget bias decides. Resistance to noise is learned: "
        "cells trained without distractors are tested with them.\n"
        "How far memory reaches differs within them: a plain net 5 to 10 steps, or 8 to 10; an LSTM "
        "hundreds of steps, or thousands, or it may fail at hundreds. Here each distance is measured.\n"
        "Their parameter counts are for one bias; torch's cells have two. Their stack of 512, 256 and 128 units"
        " is three modules there, since one `nn.LSTM` has a single size.\n"
        "They say that a GRU joins the input and forget gates; it also has a reset gate, and "
        "no memory apart from its state.\n"
        "Their update gate is the share that is new, that of torch the share that is kept: a "
        "sign in the weights. That torch resets after the product is more than a sign; both "
        "are here, as GRU and GRU as in torch.\n"
        "They say that layer normalisation comes before the recurrent product; in their own "
        "formula, as here, it comes after.",
        live=False,
    ),
    Lesson(
        id="reach",
        era="Recurrence",
        title="Gradient reach",
        question="How many words back can a model learn from?",
        minutes=12,
        before=("bptt", "lstm"),
        model="lstm",
        example="The person who spoke multiple languages fluently applied",
        tries=(
            Try(
                "The person who spoke multiple languages fluently applied",
                "What can the loss of “applied” teach about “person”, six words back? "
                "Compare the plain recurrent net with the LSTM and the Transformer.",
            ),
            Try(
                "The keys to the old cabinet were",
                "The verb belongs to “keys”. Which of the models could learn that from this"
                " sentence?",
            ),
            Try(
                "The man who wrote the book entered the room",
                "Point at “entered”: does its gradient reach back to “man”?",
            ),
            Try(
                "She said that the cat, which had slept all day, was hungry",
                "A clause between subject and verb: every model has to send its gradient past it.",
            ),
            Try(
                "The keys to the cabinet are",
                "Words of the nets that learned is and are. Press A comparison, then Early and late in"
                " training: how much of the gradient of “are” reaches “keys”?",
            ),
        ),
        sources=(
            "Hochreiter, Untersuchungen zu dynamischen neuronalen Netzen, 1991",
            (
                "Bengio, Simard & Frasconi, Learning Long-Term Dependencies with Gradient Descent Is"
                " Difficult, 1994"
            ),
            "Pascanu, Mikolov & Bengio, On the Difficulty of Training Recurrent Neural Networks, 2013",
        ),
        differs="The notes give a plain recurrent net a memory of eight to ten steps. There is no such"
        " number: how fast its gradient fades depends on the weights and on the text, and is"
        " measured here.\n"
        "They say that a gradient vanishes when the largest eigenvalue is below 1 and explodes"
        " when it is above. For a product of finitely many steps it is the largest singular"
        " value, times the slope of the activation, that bounds it; above 1 it may explode, and"
        " need not.\n"
        "They say that values of at most 1 make it shrink exponentially; that takes values below 1.",
    ),
    Lesson(
        id="dynamics",
        era="Recurrence",
        title="One unit, three views",
        subtitle="vanish, explode, jump",
        question="Why do gradients vanish, explode, or jump?",
        minutes=15,
        before=("bptt",),
        model="",
        example="",
        tries=(),
        sources=(
            "Pascanu, Mikolov & Bengio, On the Difficulty of Training Recurrent Neural Networks, 2013",
            "Doya, Bifurcations in the Learning of Recurrent Neural Networks, 1992",
        ),
        differs="The notes call every solution of h = σ(w h + b) a stable point; it is stable only"
        " where w σ′ is below 1, and the middle one of three is not.\n"
        "They give neither w nor the start behind their 0.855; it is the upper fixed point for"
        " w = 5 and b = −2.5, the middle of the stretch where there are three.\n"
        "They speak of chaos where gradients explode; one unit that changes continuously cannot be"
        " chaotic, it only jumps from one fixed point to another.\n"
        "They judge by the largest eigenvalue; a product of steps can grow a long way though every"
        " eigenvalue is below 1.\n"
        "They bound the length of a product from below by the lengths of its factors; only the smallest"
        " singular values bound it so, and two long factors can make 0.\n"
        "They write the Jacobian of a layer as W D; for h = σ(W x + b) it is D W, and the gradient goes"
        " back through Wᵀ D.\n"
        "They let every sigmoid layer shrink a gradient to a quarter, even with ideal weights; the factor is w σ′, 1"
        " for w = 4 at z = 0.\n"
        "They advise a larger threshold where clipping is rare; a threshold that is rarely reached"
        " is loose already.",
        live=False,
    ),
    Lesson(
        id="cures",
        era="Recurrence",
        title="Cures for gradients",
        subtitle="starts, norms, gates, clipping",
        question="What keeps a gradient alive, and what only keeps it short?",
        minutes=20,
        before=("bptt", "lstm"),
        model="",
        example="the keys of the man are lost",
        tries=(
            Try(
                "the keys of the man are lost",
                "28 steps back: which switches let the gradient through?",
            ),
            Try(
                "a",
                "One character is one step: what is left is a deep feed-forward net. Set 20 layers, and"
                " switch residual connections on.",
            ),
            Try(
                "the man who wrote the book she had read left",
                "Half as far again: is a forget bias of 3 still enough?",
            ),
        ),
        sources=(
            "Pascanu, Mikolov & Bengio, On the Difficulty of Training Recurrent Neural Networks, 2013",
            "Glorot & Bengio, Understanding the Difficulty of Training Deep Feedforward Neural Networks,"
            " 2010",
            "He, Zhang, Ren & Sun, Delving Deep into Rectifiers, 2015",
            "Saxe, McClelland & Ganguli, Exact Solutions to the Nonlinear Dynamics of Learning in Deep"
            " Linear Neural Networks, 2014",
            "Jozefowicz, Zaremba & Sutskever, An Empirical Exploration of Recurrent Network"
            " Architectures, 2015",
            "Ba, Kiros & Hinton, Layer Normalization, 2016",
            "Ioffe & Szegedy, Batch Normalization, 2015",
            "Cooijmans et al., Recurrent Batch Normalization, 2017",
        ),
        differs="The notes say that each cure ensures a gradient that does not vanish. None ensures it:"
        " Xavier with a sigmoid still vanishes, ReLU with He and residual connections explodes, batch"
        " norm with a large gain saturates again. Each of them can be set above.\n"
        "They list clipping among the cures of vanishing gradients; it makes no gradient longer.\n"
        "They clip before there is a gradient, right after the optimiser is made, and call a function of"
        " Keras that does not exist; the right calls stand under the arrow.\n"
        "They let the gradient enter the adaptive threshold that it is held against, so that a spike"
        " raises its own limit.\n"
        "They advise a higher threshold where clipping is rare; a threshold that is rarely reached is"
        " loose already.\n"
        "They say that the layer norm of a recurrent net acts on the hidden states before the recurrent"
        " product; it acts on the sum after it, and of the bias only what differs between units is left.\n"
        "They set the forget bias in both biases of a cell, which makes 1 a 2.\n"
        "They draw Xavier's weights over the four stacked gates of an LSTM, which makes its bound too"
        " small for each gate.\n"
        "They draw an LSTM's weights by He's rule; it is made for ReLU, and gates have none.\n"
        "They let residual connections help over long times; the connections lead past layers, not past"
        " steps.\n"
        "They call clipping by value clipping by parameter; it is each single number.\n"
        "They call 0.25 the most that a step through a sigmoid can leave; the weight is a factor too.",
        live=False,
    ),
    Lesson(
        id="shapes",
        era="Recurrence",
        title="Task shapes",
        question="What goes in, what comes out, and when?",
        minutes=15,
        before=("rnn",),
        model="sentiment",
        example="The acting is perfect, but the plot is dull",
        tries=(
            Try(
                "The acting is perfect, but the plot is dull",
                "Many to one: the answer flips at the last word. Follow it along the dashed boxes.",
            ),
            Try(
                "The plot is dull, but the acting is perfect",
                "The same words in another order give another sequence of answers. A bag of"
                " words cannot tell the two apart.",
            ),
            Try(
                "Time flies like an arrow",
                "In step, part of speech: is “flies” a noun or a verb? Compare Forwards and"
                " Both ways.",
            ),
            Try(
                "The complex houses married soldiers",
                "In step, part of speech: Forwards tags “complex” before it reads “houses”."
                " Type the sentence word by word and watch Both ways.",
            ),
        ),
        sources=(
            (
                "Karpathy, The Unreasonable Effectiveness of Recurrent Neural Networks, 2015 (the"
                " five shapes)"
            ),
            "Schuster & Paliwal, Bidirectional Recurrent Neural Networks, 1997",
            (
                "Sutskever, Vinyals & Le, Sequence to Sequence Learning with Neural Networks, 2014"
                " (delayed)"
            ),
            "Petrov, Das & McDonald, A Universal Part-of-Speech Tagset, 2012",
            (
                "Silveira et al., A Gold Standard Dependency Corpus for English, 2014 (the tagged"
                " words); Pang & Lee, A Sentimental Education, 2004 (the reviews)"
            ),
        ),
        differs="The notes write y_t = f(x_1 … x_n) for tags in step. In a network that reads "
        "forwards, y_t depends on x_1 … x_t only; in one that reads both ways, it depends on "
        "all inputs.\n"
        "Their tag PREP is ADP in the universal tagset.\n"
        "They say that one to many has no new external inputs; in practice each token written "
        "is read back in, and both versions are shown.\n"
        "Their example of unequal lengths, The house is beautiful, La maison est belle, has "
        "four words on both sides.\n"
        "They say that reading both ways doubles the hidden size; it doubles the width of the "
        "output, while torch's last state keeps its width and gets a second row.\n"
        "They keep translation for networks that read forwards; only the part that writes has "
        "to, its encoder may read both ways.\n"
        "Their example of a letter with two sounds, the s of “recognize speech”, fails: "
        "“recognize” has no s.",
    ),
    Lesson(
        id="pooling",
        era="Recurrence",
        title="Pooling",
        question="How do all states of a text become one vector?",
        minutes=12,
        before=("shapes",),
        model="pooling",
        example="oak rose ! cat hammer bread soup fern saw",
        tries=(
            Try(
                "oak rose ! cat hammer bread soup fern saw",
                "One word is marked, and its kind is the answer. Attention takes nearly all from it;"
                " the mean takes as much from every word, and is right as well.",
            ),
            Try(
                "oak rose cat hammer bread soup fern saw",
                "The same words without the mark: nothing is known, and each answers with what its"
                " words leave in its vector.",
            ),
            Try(
                "! nail oak rose cat dog bread soup fern moss owl crab rice cake palm reed fox bean",
                "The marked word comes first and sixteen others follow. The last state has to carry it"
                " all the way.",
            ),
        ),
        sources=(
            (
                "Yang et al., Hierarchical Attention Networks for Document Classification, 2016"
                " (attention)"
            ),
            (
                "Collobert & Weston, A Unified Architecture for Natural Language Processing, 2008"
                " (the maximum)"
            ),
            "Ba, Kiros & Hinton, Layer Normalization, 2016 (where a norm belongs in an LSTM)",
            (
                "Jain & Wallace, Attention is not Explanation, 2019, and Wiegreffe & Pinter, Attention"
                " is not not Explanation, 2019"
            ),
        ),
        differs="The notes say that attention gives direct access from any step to any other; what they"
        " list is one vector for the whole text, with no query: no step asks for anything.\n"
        "They add a bias to the scores. Softmax takes the same from all, so it changes nothing and learns"
        " nothing; there is none here.\n"
        "Their listing gives padding its share of the weights.\n"
        "They call the output gate a kind of attention: it opens each unit by itself, and no word's share"
        " is taken from another's.\n"
        "Their layer-norm cell normalises the memory that it carries on, which overwrites it at every"
        " step; in the paper only what is shown of it is normalised.\n"
        "Their model of a long document is given segments of 512 characters where 512 tokens are meant."
        " It hands the vectors of the segments to a model that asks for numbers of tokens, and"
        " computes without gradients, so that nothing of it can be trained.",
    ),
    Lesson(
        id="convolution",
        era="Recurrence",
        title="Convolution",
        question="What can a few numbers find that look at every place alike?",
        minutes=20,
        before=("rnn",),
        model="",
        example="",
        tries=(),
        sources=(
            (
                "LeCun, Bottou, Bengio & Haffner, Gradient-Based Learning Applied to Document"
                " Recognition, 1998"
            ),
            "Fukushima, Neocognitron, 1980 (layers that share weights, and pool)",
            "Dumoulin & Visin, A Guide to Convolution Arithmetic for Deep Learning, 2016 (sizes)",
            (
                "Alpaydin & Kaynak, Optical Recognition of Handwritten Digits, UCI Machine Learning"
                " Repository, 1998 (the digits)"
            ),
            "van den Oord et al., WaveNet: A Generative Model for Raw Audio, 2016 (over a sequence)",
        ),
        differs="The notes call I(i + m, j + n) K(m, n) a convolution; it is a cross-correlation, as in"
        " every library. A convolution turns the kernel round, and the sums of an edge change their"
        " sign. A kernel that is learned does not mind.\n"
        "Bias and stride are missing in their formula, and the size of a map is not given.\n"
        "Their pooling, as printed, moves on by one place: 4 × 4 becomes 3 × 3. To halve a map it has to"
        " move on by its own width.\n"
        "They say that a feature is found regardless of where it is. The map moves along"
        " (equivariance); the answer stays the same only where the place is forgotten, as by pooling"
        " over the whole map. Pooling of 2 × 2 forgives a move inside its window.\n"
        "They let ReLU leave out clues that are not compelling. It leaves out sums below 0, and a weak"
        " one above 0 stays.\n"
        "They let such a network mimic the visual cortex, which is a loose comparison.\n"
        "Their softmax has the sign of the sigmoid, and overflows; here the largest logit is taken away"
        " first.",
        live=False,
    ),
    Lesson(
        id="textcnn",
        era="Recurrence",
        title="Sentence classifier",
        subtitle="convolution over words",
        question="Which phrases decide what a sentence is, and who looks for them?",
        minutes=15,
        before=("convolution",),
        model="textcnn",
        example="The acting is superb, but the plot is a boring mess and a waste of time",
        tries=(
            Try(
                "The acting is superb, but the plot is a boring mess and a waste of time",
                "Which phrase fires which filter? Switch off the strongest, and the answer moves.",
            ),
            Try(
                "The plot is a boring mess and a waste of time, but the acting is superb",
                "The same phrases in another order: max pooling forgets where they stood.",
            ),
            Try(
                "one of the best films of the year",
                "Cut a word in the middle: do the filters still find their phrase?",
            ),
            Try(
                "not bad at all",
                "Three words that mean the opposite of one of them. Does any filter know that?",
            ),
        ),
        sources=(
            "Kim, Convolutional Neural Networks for Sentence Classification, 2014",
            "Collobert, Weston, Bottou, Karlen, Kavukcuoglu & Kuksa, Natural Language Processing (Almost)"
            " from Scratch, 2011 (max over time)",
            "Zhang & Wallace, A Sensitivity Analysis of (and Practitioners' Guide to) Convolutional Neural"
            " Networks for Sentence Classification, 2015",
            "Pang & Lee, A Sentimental Education, 2004 (the reviews)",
        ),
        differs="The notes show convolution over a grey picture, with one channel. Here every number of a"
        " word's vector is a channel, and a filter has weights for all of them, as over a colour picture.\n"
        "They say that pooling keeps what is important; max pooling keeps what is largest, and which"
        " filter that helps is learned behind it.",
    ),
)
