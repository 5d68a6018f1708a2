"""Cross-attention: where does a translator look while it writes?"""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try

LESSON = Lesson(
    id="translation",
    era="Attention",
    title="Cross-attention",
    question="Where does a translator look while it writes?",
    model="encoder_decoder",
    also=("seq2seq", "observed_translator"),
    prompt="The sentence on line 1, its translation on line 2, as far as you like",
    example="The small black cat ate the mouse\nLe petit chat noir",
    tries=(
        Try(
            "The small black cat ate the mouse\nLe petit chat noir",
            "One adjective stays before its noun, the other moves behind it. To write “noir”, head 1 of layer 2 of "
            "the shipped model looks back past the cat at “black” (99.7 %). To write “Le” it looks at “cat”: the "
            "article depends on the noun's gender.",
        ),
        Try("The cat sat on the mat", "Press Play: Le, chat, s'est, assis, sur, le, tapis."),
        Try(
            "The dog did not cross the street because it was tired\n"
            "Le chien n'a pas traversé la rue parce qu'il était fatigué",
            "“It” is the dog: to write “qu'il”, head 1 of layer 2 looks at “dog” (over 99.9 %). Change tired to "
            "wide and press Start again. Now “it” is the street, “elle”, and the head looks there.",
        ),
        Try(
            "The key is white and it is small\nLa clé est blanche et elle est petite",
            "“It” becomes “elle”, because “la clé” is feminine. Try “box”, “book” or “hat” instead of “key”.",
        ),
    ),
    sources=(
        "Vaswani et al., Attention Is All You Need, 2017, sec. 3.1 and 3.2.3",
        (
            "Sutskever, Vinyals & Le, Sequence to Sequence Learning with Neural Networks, 2014 "
            "(recurrent, without attention); Cho et al., 2014"
        ),
        (
            "Bahdanau, Cho & Bengio, Neural Machine Translation by Jointly Learning to Align "
            "and Translate, 2015 (recurrent, with attention)"
        ),
        (
            "Luong, Pham & Manning, Effective Approaches to Attention-based Neural Machine "
            "Translation, 2015 (where the recurrent one looks)"
        ),
        (
            "Press & Wolf, Using the Output Embedding to Improve Language Models, 2017 (weight tying)"
        ),
        (
            "Raffel et al., Exploring the Limits of Transfer Learning with a Unified "
            "Text-to-Text Transformer, 2020 (T5)"
        ),
        (
            "Sennrich, Haddow & Birch, Improving Neural Machine Translation Models with Monolingual Data, 2016;"
            " Edunov et al., Understanding Back-Translation at Scale, 2018"
        ),
    ),
    differs="The notes name T5 as a model with two vocabularies and, in their table, with one; it has one. The ## "
    "of their ten pieces is the sign of WordPiece, not of SentencePiece or byte pairs; and “is”, “sur” and "
    "“tapis”, which they count as known, can't be put together from the list.\n"
    "They say where “Le” looks without measuring it; all weights here come from a trained model.\n"
    "In one place they take queries and keys from the encoder and values from the decoder, and then the shapes do "
    "not match. Queries come from the decoder, keys and values from the encoder, in training and in use.\n"
    "They say that the decoder is trained one token at a time; all positions are computed at once, behind the "
    "mask. In use, only as much of the target can be read as has been written.\n"
    "They say that T5 shares weights between encoder and decoder; it shares the embedding table.\n"
    "They give both “Le chat est assis” and “Le chat s'est assis” for one sentence; this page uses the second.\n"
    "They call what passes from encoder to decoder transfer learning; that is the name for going on from a model "
    "trained for something else.\n"
    "They send the context of attention to the encoder; it goes to the decoder.\n"
    "What they describe as training, each word fed back in as it is written, is use: training reads the given "
    "target and needs a loss. Of “De nada” they print “De”.\n"
    "They write the recurrent decoder without saying how a word is made of its state, softmax(W s + b), nor that "
    "many decoders get the encoder's vector at every step and not only at the first.\n"
    "They give “est” for “sits”; “Le chat est” needs “assis” to say so.\n"
    "They blame vanishing gradients for what the last state has lost; the state is written over, and vanishing "
    "gradients are why training does not mend that.\n"
    "Attention over n words for m written ones costs n · m, not n², and a recurrent decoder with attention still "
    "takes one step after the other.\n"
    "They put the gain of the Transformer at 4 to 6 BLEU; its paper reports a little over 2 from English to "
    "German.\n"
    "They say that hard attention has to be trained with reinforcement learning; that is one way, and estimates "
    "that let the gradient through, or the sum over all places, are others.\n"
    "Their programs hand on the highest layer's state only, feed zeros or the scores of all words where the word "
    "last written should stand, throw one coin for a whole batch, look at the filling, count a first place that "
    "nobody wrote, and go on reading the right words in use.",
    minutes=20,
    before=("rnn", "attention"),
    minute=(
        Step(
            "At “black”, with 99.7 %: it looks back past the cat, because in French the "
            "colour comes behind the noun.",
            text="The small black cat ate the mouse\nLe petit chat",
            link="layer=1&head=0",
            panel="cross",
            asks="“noir” comes next. Where does head 1 of layer 2 look to write it?",
            choices=("cat", "black", "ate"),
        ),
        Step(
            "“qu'il”: the head looks at “dog” with over 99.9 %, and “le chien” is masculine.",
            text="The dog did not cross the street because it was tired\n"
            "Le chien n'a pas traversé la rue parce",
            panel="next",
            asks="It was tired: will the translator write “qu'il” or “qu'elle”?",
            choices=("qu'il", "qu'elle"),
            covers=("cross",),
        ),
        Step(
            "Change one English word, and it becomes “qu'elle”: the head now looks at "
            "“street”, “la rue”, with 99.9 %.",
            text="The dog did not cross the street because it was wide\n"
            "Le chien n'a pas traversé la rue parce",
            link="layer=1&head=0",
            panel="cross",
        ),
        Step(
            "“chien”: it looks at the word that it does not know with over 99 % and guesses "
            "a common animal, with 13 %.",
            text="The zebra sat on the mat\nLe",
            link="layer=1&head=0",
            panel="next",
            asks="“zebra” is underlined: it is none of its words. What will it write after “Le”?",
            choices=("zèbre", "chien", "nothing"),
            covers=("cross", "write"),
        ),
    ),
    true_of=("translator",),
    topics="""
write | Translation, word by word |
    transformers E10 E16; foundations N110 S34 S37 N96; language_models P45 P47 M68; transformers J6
    The French is written one word at a time, each with its probability.
    machine translation, MT, seq2seq, encoder-decoder, start token, end token, translate a sentence
write | Translating real sentences | transformers J6 | | run=translator_spanish
    English into Spanish, learned from an old book: what a small model makes of your sentence.
    English to Spanish, subword translator, parallel corpus, Bible
part-how-good-it-is | BLEU: how good a translation is | transformers J6 L17 | | run=translator_spanish
    Runs of one to four words that stand in the right translation, on pairs never seen.
    translation quality, n-gram precision, brevity penalty, sacrebleu, Papineni
part-there-and-back | Back-translation | transformers L21
    A sentence through two translators and back, at any temperature.
    back-translation, round-trip translation, paraphrase, Sennrich
cross | Cross-attention | transformers E3 E4 E16; foundations N94 N111 S27 S33
    Where each French word looks in the English while it is written.
    encoder-decoder attention, alignment, Bahdanau
cross | Attention in a recurrent encoder-decoder |
    rnn D14; foundations N57; lstm C20; language_models M70 | | run=seq2seq_attention
    A recurrent translator with attention: where it looks, step by step.
    seq2seq, Bahdanau attention, RNN attention, context vector, attention weights
write | Recurrent encoder-decoder without attention |
    lstm C20; transformers A2; language_models P47 M68 | | run=seq2seq
    One vector carries the whole sentence from encoder to decoder.
    sequence to sequence, Sutskever, context vector, LSTM translation, encoder
part-how-long-a-sentence-it-can-take | The bottleneck: how long a sentence it can take |
    foundations N55 N56 S38; language_models M69 P46 P54
    Sentences that come out right by their length, for every translator: one vector between encoder and
    decoder, or attention.
    fixed-size vector, sentence length, seq2seq limits, RNN encoder, RNN decoder, context vector,
    thought vector, fixed-length context
lanes | Training a decoder: the target moved by one | transformers E11; foundations N109; language_models P48
    What the decoder reads and what it must answer, side by side.
    shift right, shifted right, decoder input
sights | Three attentions and their masks | transformers A3; foundations N95 N111 S33
    Encoder, decoder and cross-attention: who looks at whom, and what is masked.
    masked self-attention, encoder-decoder attention, mask shapes
part-encoder-decoder-or-both | Encoder, decoder, or both: BERT, GPT, T5 |
    transformers E1 E3 E7 I1; foundations S25 S27; language_models M12
    What each family has of a layer, with its parameters in the model that is shown.
    transformer families, encoder-decoder, T5, GPT, architecture
part-greedy-or-beam-search | Greedy or beam search in translation | transformers E15; language_models M95
    Whole sentences compared by their sum.
    beam search, decoding
part-how-its-length-is-decided | How the length of a translation is decided | language_models P49
    The end mark at every step, and the length penalty on your sentence.
    stop token, stop factor, end of sentence, EOS, length penalty, length normalisation
part-which-words-it-covered | Coverage: which source words were looked at | language_models M76
    The weights of each source word over all steps, words left out or said twice, and the penalty.
    coverage penalty, coverage loss, under-translation, over-translation, Tu, Wu
""",
)
