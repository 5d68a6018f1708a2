"""Task heads: how many questions can one pre-trained body answer?"""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try

ASKED = (
    "Where did the captain find the old lamp?\n"
    "The captain found the old lamp in the garden on Monday."
)
NOT_ASKED = ASKED.replace("Where did the captain find the old lamp?", "Who wrote the letter?")
BOOK = "She will book the flight and read the book."

LESSON = Lesson(
    id="tasks",
    era="Attention",
    title="Task heads",
    question="How many questions can one pre-trained body answer?",
    model="bert",
    prompt="A review; or a question, a line end and a passage",
    example=ASKED,
    tries=(
        Try(ASKED, "Span and pair answer. Now ask who found it, or what he found.", label="Where?"),
        Try(
            NOT_ASKED,
            "The passage does not say: look at the pair. A span can't say no.",
            label="Who wrote it?",
        ),
        Try("A wonderful film with great actors, I loved every minute.", "Class and tags answer."),
        Try(
            BOOK,
            "“book” twice: the head sees one vector each, and the body has put the neighbours into it.",
        ),
    ),
    sources=(
        "Devlin et al., BERT: Pre-training of Deep Bidirectional Transformers, 2019, section 4",
        "Hu et al., LoRA: Low-Rank Adaptation of Large Language Models, 2022",
        "Clark et al., ELECTRA: Pre-training Text Encoders as Discriminators Rather Than Generators, 2020",
        "Heilman & Smith, Good Question! Statistical Ranking for Question Generation, 2010",
        "Wei & Zou, EDA: Easy Data Augmentation Techniques, 2019; Zhang et al., mixup, 2018",
        "Wang & Cho, BERT has a Mouth, and It Must Speak, 2019",
        "Gururangan et al., Don't Stop Pretraining: Adapt Language Models to Domains and Tasks, 2020",
    ),
    differs="The notes call `outputs[1]` the representation of [CLS]. It is the pooled vector, tanh(W [CLS] + b); the"
    " vector at [CLS] itself is `outputs[0][:, 0]`. Both are here.\n"
    "In their tagger only the filling is left out of the loss, by the attention mask; [CLS], [SEP] and the later pieces"
    " of a word count like words. They need the target −100.\n"
    "Their list of synonyms takes a word without its part of speech or sense, replaces “the” as well, and leaves the"
    " low lines in names of several words; `random` is not imported. The models that it translates back with do not"
    " exist.\n"
    "Their continued pre-training reads its text with `LineByLineTextDataset`, and their recipe for SST-2 says"
    " `logging_dir`: the library has neither any more.",
    minutes=20,
    before=("bert",),
    first="token=4",
    minute=(
        Step(
            "One pass, five answers. The span is “in the garden on monday”: it begins right, and ends two words late.",
            text=ASKED,
            link="token=4",
            panel="heads",
        ),
        Step(
            "No: 1.4 % by the vector at [CLS] with the body tuned along; with the body frozen it says 36 %.",
            text=NOT_ASKED,
            panel="pair",
            asks="Who wrote the letter? Does this passage answer that?",
            choices=("yes", "no"),
            covers=("heads",),
        ),
        Step(
            "VERB, then NOUN. One word, one row in the table of embeddings; six layers have made two vectors of it.",
            text=BOOK,
            link="token=3",
            panel="tags",
            asks="“book” stands there twice. Which tags?",
            choices=("NOUN and NOUN", "VERB and NOUN", "VERB and VERB"),
        ),
    ),
    links=(("rnn", "A tagger that is a recurrent net", "panel=part-task-shapes"),),
    topics="""
heads | One body, swapped heads | transformers H6 I10; language_models M09
    One pass through BERT, and a class, tags, a span, a pair and replaced words read off it with every key.
    pre-train and fine-tune, downstream tasks, swap the head, multi-task learning, task tabs, GLUE
class | BERT for classification | transformers L6; foundations N101
    Film reviews by raw [CLS], by the pooled vector and by the mean of all tokens.
    sequence classification head, BertForSequenceClassification, [CLS] token, pooled output,
    sentiment with BERT, mean pooling
tags | BERT for tags | transformers L7; foundations N102
    A tag for each word at its first piece; marks and later pieces have the target −100.
    token classification head, BertForTokenClassification, active loss, -100, ignore index,
    subword labels, NER head, sequence labelling head
span | BERT for answers in a text | transformers H6
    Where the answer to a typed question begins and ends in a passage, and whether it is there.
    extractive question answering, SQuAD, start and end logits, BertForQuestionAnswering, sentence pair, QNLI
part-spot-the-replaced-word | ELECTRA's game | transformers H13
    A generator replaces words of your text; you and the discriminator say which.
    ELECTRA, replaced token detection, generator and discriminator, guess the fake word
part-frozen-or-tuned-along | Frozen body or tuned along | transformers H6
    The same heads on a frozen body and on one tuned along with them, measured.
    feature extraction against fine-tuning, linear probe, LoRA, trainable share
part-answer-or-write | Generation against classification | transformers I10
    A story, code, a conversation: what BERT writes a mask at a time, beside a decoder.
    text generation, encoder or decoder, creative writing, NLU against NLG, BERT as a language model
part-your-own-labels | A head for your own labels | transformers N4 L6
    Type lines with labels: the head is learned at once, with accuracy, precision, recall and F1.
    fine-tune on my data, SST-2, compute metrics, few-shot classification, logistic regression on BERT
part-more-lines-from-few | Data augmentation | transformers L5 L21
    Synonyms, deleted and swapped words, back-translation, mixup: lines made of yours, and whether they help.
    EDA, back-translation, synonym replacement, random deletion, random swap, mixup, augment text
part-a-text-of-another-kind | Domain-adaptive pre-training | transformers L22
    Masked words of a text of another kind, before and after BERT has gone on learning on it, and whether it pays.
    continued pre-training, domain adaptation, DAPT, don't stop pretraining, MLM on own text, forgetting
""",
)
