"""Long documents: what can be read off a text that is longer than the model?"""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try

TEXT = "Peter Marsh left London for a job at Microsoft."
TEXTS = {"low": TEXT.lower(), "broken": "The University of California is in Los Angeles."}
LOW, BROKEN = TEXTS.values()

LESSON = Lesson(
    id="documents",
    era="Attention",
    title="Long documents",
    question="How does a model find names, answers and the main point in a text longer than itself?",
    model="bert",
    also=("transformer", "llama"),
    prompt="A sentence with names",
    example=TEXT,
    tries=(
        Try(TEXT, "Three names of three kinds, all found.", label="Three names"),
        Try(LOW, "The same in small letters: two of the three are lost.", label="No capitals"),
        Try(
            BROKEN,
            "“University” goes on with a name that has not begun: the likeliest tag breaks the rule.",
            link="rule=likeliest",
            label="A broken rule",
        ),
    ),
    sources=(
        "Tjong Kim Sang & De Meulder, Introduction to the CoNLL-2003 Shared Task, 2003 (entities)",
        "Mayhew et al., Universal NER, 2024 (the sentences with entities: UNER English EWT)",
        "Devlin et al., BERT, 2019, section 4.2 (answers)",
        "Robertson & Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009",
        "Erkan & Radev, LexRank, 2004; Mihalcea & Tarau, TextRank, 2004 (centrality)",
        "Carbonell & Goldstein, The Use of MMR, Diversity-Based Reranking, 1998",
        "Yang et al., Hierarchical Attention Networks for Document Classification, 2016",
        "Pappagari et al., Hierarchical Transformers for Long Document Classification, 2019",
    ),
    differs="The notes tag “CEO” as if it were a kind of name. It is a relation between two of them; tags for words"
    " cannot"
    " say it.\n"
    "Their windows end with one that lies inside the one before; here the last is the first that reaches the end.\n"
    "They call the function that joins the answers of all windows `aggregate_chunk_results`, and never define it."
    " Here a"
    " second head says which window has the answer.\n"
    "Their segments for a long document are 512 characters, about 100 words, where 512 tokens are meant; words are"
    " cut in"
    " two. Their second encoder gets vectors where it wants numbers of tokens, and nothing in it can learn, for"
    " gradients are switched off.\n"
    "A summary made of sentences of the text, they say, keeps the facts. It can still mislead: a sentence that begins"
    " with “he” may stand without its man.",
    minutes=20,
    before=("tasks",),
    first="token=1",
    minute=(
        Step(
            "All three: a person, a place, an organisation. Of 100 names in other texts it finds about 44 whole.",
            text=TEXT,
            panel="entities",
            asks="Three names stand here. How many does a net of this size find?",
            choices=("none", "one", "all three"),
            covers=("tags",),
        ),
        Step(
            "Peter Marsh alone. BERT reads small letters only; the head is told of capitals, and leans on them.",
            text=LOW,
            panel="entities",
            asks="Now without capitals. What is still found?",
            choices=("all", "Peter Marsh", "Microsoft"),
            covers=("tags",),
        ),
        Step(
            "“University” has I-ORG, and no name has begun: broken. The likeliest row that keeps the rule has B-ORG.",
            text=BROKEN,
            link="rule=likeliest&token=2",
            panel="entities",
        ),
    ),
    topics="""
entities | Named entities | transformers J3; lstm C21
    Names of persons, places and organisations in your text, with every key, and a rule that repairs their tags.
    NER, named entity recognition, information extraction, BIO tags, IOB, constrained Viterbi
part-names-measured | How well names are found | transformers J3
    Strict F1 with intervals, by kind, beside a list of names.
    entity F1, conlleval, seqeval, gazetteer, name list
part-answers-over-windows | Questions about a long passage | transformers J1 L24
    Start and end of the answer to your question in a passage longer than the model, window by window.
    extractive question answering, reading comprehension, SQuAD, doc stride, answer span
part-retrieval-before-the-answer | Retrieval, then a reader | transformers J1
    Sentences ranked by BM25, tf-idf or vectors for your question, and the answer read off them alone.
    retriever and reader, open-domain question answering, BM25, Okapi, dense retrieval
part-summary-by-centrality | Extractive summary | transformers J4
    The most central sentences of your text, by PageRank over their similarities, without repeats.
    summarisation, summarization, LexRank, TextRank, PageRank, MMR, lead baseline
part-a-name-that-falls-out-of-the-window | Memory of a dialogue | lstm C16; transformers J5
    How likely a name is as the talk goes on, and with the turn put back that said it.
    chatbot memory, remembered topics, human-robot dialogue, forgetting, conversation memory
part-one-vector-of-a-document | Hierarchical attention | transformers L25; language_models M84
    A long review as segments, attention over tokens and over segments, beside means and a cut-off.
    HAN, hierarchical document model, segment encoder, document encoder, long document classification
""",
)
