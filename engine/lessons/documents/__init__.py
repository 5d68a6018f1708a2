"""Long documents: what can be read off a text that is longer than the model?"""

from __future__ import annotations

from engine.course.base import Lesson, Step, Try

TEXT = "Peter Marsh left London for a job at Microsoft."

LESSON = Lesson(
    id="documents",
    era="Attention",
    title="Long documents",
    question="How does a model find names, answers and the main point in a text longer than itself?",
    model="bert",
    also=("transformer", "llama"),
    prompt="A sentence with names",
    example=TEXT,
    tries=(Try(TEXT, ""),),
    sources=(
        "Tjong Kim Sang & De Meulder, Introduction to the CoNLL-2003 Shared Task, 2003 (entities)",
        "Mayhew et al., Universal NER, 2024 (the sentences with entities: UNER English EWT)",
        "Devlin et al., BERT, 2019, sec. 4.2 (answers)",
        "Robertson & Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009",
        "Erkan & Radev, LexRank, 2004; Mihalcea & Tarau, TextRank, 2004 (centrality)",
        "Carbonell & Goldstein, The Use of MMR, Diversity-Based Reranking, 1998",
        "Lewis et al., Retrieval-Augmented Generation for Knowledge-Intensive NLP Tasks, 2020",
        "Yang et al., Hierarchical Attention Networks for Document Classification, 2016",
        "Pappagari et al., Hierarchical Transformers for Long Document Classification, 2019",
    ),
    differs="",
    minutes=20,
    before=("tasks",),
    minute=(),
    links=(),
    topics="""
""",
)
