"""Lessons on words as places in space."""

from __future__ import annotations

from engine.lessons.base import Lesson, Try

MEANING = (
    Lesson(
        "cooccurrence", "29_cooccurrence.py", "Meaning as place", "Co-occurrence", "What do a word's neighbours say about the word?", "glove",
        "paris is a capital city\nlondon is a capital city\nrome is a capital city\norange is a sweet fruit\napple is a sweet fruit",
        (
            Try("the cat sat on the mat", "Window of 1: each word meets its neighbours only. Five pairs, each once, and the table is a mirror of itself.", "rules=1.f.b.count.100.1"),
            Try(
                "paris is a capital city\nlondon is a capital city\nrome is a capital city\norange is a sweet fruit\napple is a sweet fruit",
                "Cosines of rows: paris and london have the same neighbours (1), paris and orange share half (0.5), though none of them ever meet.",
                "rules=4.f.b.cosine.100.1",
            ),
            Try(
                "the cat drinks milk\nthe dog drinks water\nthe cat eats fish\nthe dog eats meat",
                "PPMI: “the” is near everything and says little. Click the cell of cat and milk: which numbers make it large?", "rules=4.f.b.ppmi.100.1",
            ),
        ),
        (
            "Firth, A Synopsis of Linguistic Theory, 1957 (a word is known by the company it keeps)",
            "Church & Hanks, Word Association Norms, Mutual Information, and Lexicography, 1990 (PMI)",
            "Levy, Goldberg & Dagan, Improving Distributional Similarity with Lessons Learned from Word Embeddings, 2015 (shift, smoothing, SVD)",
            "Pennington, Socher & Manning, GloVe: Global Vectors for Word Representation, 2014",
        ),
        "The notes let GloVe fit the logarithm of a co-occurrence probability and leave its weight f open. It fits the logarithm of the count, f also caps "
        "frequent pairs, and pairs that were never seen are left out. The vector of a word is the sum w + w̃. Words are read in small letters; a new line is a border.",
        ("ngrams",),
    ),
    Lesson(
        "embeddings", "04_embeddings.py", "Meaning as place", "Embeddings", "Which words live near each other?", "skipgram",
        "In April the king and the queen walked through Paris",
        (
            Try("January March July October", "Months stand together: look at the neighbours and their cosines."),
            Try("France Paris Germany Berlin Italy Rome", "Countries and capitals: do the pairs lie in the same direction?"),
            Try("king queen man woman dog cat", "Families of words: click each and compare true neighbours with the map."),
        ),
        (
            "Mikolov et al., Distributed Representations of Words and Phrases and their Compositionality, 2013",
            "Pearson, On Lines and Planes of Closest Fit to Systems of Points in Space, 1901 (principal components)",
        ),
        "A flat map can't hold a hundred dimensions: neighbours on the map may be far apart. The list beside it is computed in "
        "all dimensions, and the map says how much of the variance it shows.",
        ("ngrams",),
    ),
    Lesson(
        "word2vec", "30_word2vec.py", "Meaning as place", "word2vec", "How does a word's vector come out of the words around it?", "skipgram",
        "the cat sat on the mat and the dog sat on the log",
        (),
        (
            "Mikolov, Chen, Corrado & Dean, Efficient Estimation of Word Representations in Vector Space, 2013 (skip-gram, CBOW)",
            "Mikolov, Sutskever, Chen, Corrado & Dean, Distributed Representations of Words and Phrases and their Compositionality, 2013 (negative sampling, tree, subsampling)",
            "Rong, word2vec Parameter Learning Explained, 2014 (every gradient)",
            "Huffman, A Method for the Construction of Minimum-Redundancy Codes, 1952",
        ),
        "The notes use the letter M for four things; here it is the number of words on each side. They take column t of W₁ for the word at place t: it is the column of the word's number "
        "in the vocabulary. They call the skip-gram input “centre or target word”: the centre is the input, the words of its window are the targets. They give the embedding of CBOW as W₂; "
        "the original program keeps W₁ for both models. They know the full softmax only, and say why vectors become similar but not what keeps them apart: the push away from what was expected.",
        ("embeddings",),
        live=False,
    ),
    Lesson(
        "vectors", "32_vectors.py", "Meaning as place", "Word vectors", "What do the directions between words know, and what not?", "skipgram",
        "king queen prince princess man woman banana",
        (
            Try("breakfast cereal dinner lunch", "Odd one out, skip-gram: “cereal” agrees least with the mean, as it is food and no meal."),
            Try("red green blue yellow seven", "Similarity, skip-gram: the colours form a block of cosines from 0.60 to 0.80, “seven” stands outside it."),
            Try("hot cold warm cool big small large little", "Opposites lie as close as synonyms, skip-gram: 0.58 for hot, cold; 0.58 for big, large; and 0.89 for small, large."),
        ),
        (
            "Mikolov, Yih & Zweig, Linguistic Regularities in Continuous Space Word Representations, 2013",
            "Linzen, Issues in Evaluating Semantic Spaces Using Word Analogies, 2016 (the question's words win unless they are left out)",
            "Bolukbasi et al., Man is to Computer Programmer as Woman is to Homemaker?, 2016 (word axes)",
            "Finkelstein et al., Placing Search in Context, 2002 (WordSim-353); Hill, Reichart & Korhonen, SimLex-999, 2015; Bruni, Tran & Baroni, 2014 (MEN)",
        ),
        "The notes say that king − man + woman gives queen. With the skip-gram vectors it does when the three words themselves may not answer, which the notes "
        "leave out; both rankings are shown. Other tables give other words. "
        "The notes also say that vectors hold hierarchies (animal, dog). They hold nearness: a cosine does not tell a kind from a part, "
        "a synonym or an opposite.",
        ("embeddings",),
    ),
    Lesson(
        "maps", "33_maps.py", "Meaning as place", "Maps", "What does a flat map of a hundred dimensions show, and what does it invent?", "skipgram",
        "January May winter week daughter sister album music river bay",
        (
            Try("1949 1960 1973 1976 1985 1996 1999", "Years: do they lie together, and in order? Then choose principal components, and look again."),
            Try("Sweden Virginia Ottawa Versailles Brazilian Bengali", "Point at each: lines go to its true nearest neighbours. Long lines are neighbours that the map tore apart."),
            Try("January May", "A month and a word that is also a verb. Colour by true neighbours kept: which words does the map do worst by?"),
        ),
        (
            "Pearson, On Lines and Planes of Closest Fit to Systems of Points in Space, 1901 (principal components)",
            "van der Maaten & Hinton, Visualizing Data using t-SNE, 2008; McInnes, Healy & Melville, UMAP, 2018",
            "Venna & Kaski, Neighborhood Preservation in Nonlinear Projection Methods, 2001 (trustworthiness and continuity)",
            "Wattenberg, Viégas & Johnson, How to Use t-SNE Effectively, 2016 (groups that are not there)",
            "Smilkov et al., Embedding Projector, 2016 (axes of one's own)",
        ),
        "The notes say that t-SNE or PCA of word vectors shows clear clusters of related words. Near words are often related, but both methods also draw groups of pure noise; "
        "here every word says how much of its neighbourhood the map kept, and the groups are compared with those of noise.",
        ("vectors",),
    ),
    Lesson(
        "pieces", "31_pieces.py", "Meaning as place", "Pieces of words", "How can a word that was never seen have a meaning?", "fasttext",
        "unhappiest unhappy happiest",
        (
            Try("unhappiest unhappy happiest", "The first is made of the other two: 33 of its 34 n-grams stand in them."),
            Try("applw apple", "A misspelling: 6 of 14 n-grams are left. Is apple still near?"),
            Try("cat cats catlike", "Short words have few n-grams. The notes list those of cat, with three slips."),
            Try("johnson johnston johnstone", "Names: the last two share 22 of 26 n-grams, and nobody told the model that they are related."),
            Try("talossanikin talossa talo", "Finnish, “in my house too”: no row in an English table, and a vector all the same, though one that knows no Finnish."),
            Try("hyperhappiness happy happiness", "The notes find “happy” in it. It is not there: three n-grams are."),
        ),
        (
            "Bojanowski, Grave, Joulin & Mikolov, Enriching Word Vectors with Subword Information, 2017 (fastText)",
            "Hashimoto, Xiong, Tsuruoka & Socher, A Joint Many-Task Model, 2017 (CharNgram)",
        ),
        "The notes write the sum of the n-grams in words and the mean in the formula; the program takes the mean, and adds a row for the whole word, which the notes leave out. They say that "
        "CharNgram is not trained by skip-gram: it is. They say that “applw” shares most of its n-grams with “apple”: it is 6 of 14.",
        ("vectors",),
        live=False,
    ),
    Lesson(
        "moved", "34_moved.py", "Meaning as place", "Moved words", "Does a word mean the same in another text?", "skipgram",
        "china gay cell plate coach",
        (
            Try("china gay cell plate coach", "Novels of 1839 to 1937 against a Wikipedia: china stood on the table, a cell was a room, gay was bright."),
            Try("monday three water father door", "Words that stay what they are: compare how far they move with how far chance moves them."),
            Try("civil base constant plate current", "Civil was loyal and welcome, base was cruel. Read the neighbours before and after."),
        ),
        (
            "Hamilton, Leskovec & Jurafsky, Diachronic Word Embeddings Reveal Statistical Laws of Semantic Change, 2016",
            "Antoniak & Mimno, Evaluating the Stability of Embedding-based Word Similarities, 2018 (chance must be measured)",
            "Schönemann, A Generalized Solution of the Orthogonal Procrustes Problem, 1966",
            "Ethayarajh, How Contextual are Contextualized Word Representations?, 2019",
        ),
        "The notes compare models by their neighbours only. Two trainings give spaces that are turned against each other, so their numbers can't be compared as they are; here one is "
        "first turned onto the other. Two trainings on the same text differ as well, so how far chance alone moves a word stands beside every word.",
        ("vectors",),
        live=False,
    ),
)  # fmt: skip
