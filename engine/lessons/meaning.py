"""Lessons on words as places in space."""

from __future__ import annotations

from engine.lessons.base import Lesson, Try

MEANING = (
    Lesson(
        id="cooccurrence",
        era="Meaning as place",
        title="Co-occurrence",
        question="What do a word's neighbours tell us about it?",
        minutes=15,
        before=("ngrams",),
        model="glove",
        example="paris is a capital city\nlondon is a capital city\nrome is a capital city\norange is a"
        " sweet fruit\napple is a sweet fruit",
        tries=(
            Try(
                "the cat sat on the mat",
                "Window of 1: each word is paired only with the words next to it. Five pairs"
                " occur, each once, and the table is symmetric.",
                "rules=1.f.b.count.100.1",
            ),
            Try(
                "paris is a capital city\nlondon is a capital city\nrome is a capital city\norange"
                " is a sweet fruit\napple is a sweet fruit",
                "Cosines of rows: paris and london have the same neighbours (1), paris and"
                " orange share half of theirs (0.5), though none of these words ever occur"
                " together.",
                "rules=4.f.b.cosine.100.1",
            ),
            Try(
                "the cat drinks milk\nthe dog drinks water\nthe cat eats fish\nthe dog eats meat",
                "PPMI: “the” occurs near everything and therefore says little. Click the cell"
                " of cat and milk: which numbers make it large?",
                "rules=4.f.b.ppmi.100.1",
            ),
        ),
        sources=(
            (
                "Firth, A Synopsis of Linguistic Theory, 1957 (a word is known by the company it"
                " keeps)"
            ),
            (
                "Church & Hanks, Word Association Norms, Mutual Information, and Lexicography, 1990"
                " (PMI)"
            ),
            (
                "Levy, Goldberg & Dagan, Improving Distributional Similarity with Lessons Learned"
                " from Word Embeddings, 2015 (shift, smoothing, SVD)"
            ),
            "Pennington, Socher & Manning, GloVe: Global Vectors for Word Representation, 2014",
        ),
        differs="The notes say that GloVe fits the logarithm of a co-occurrence probability and leave"
        " its weight f open. GloVe fits the logarithm of the count, f also caps frequent"
        " pairs, and unseen pairs are left out. The vector of a word is the sum w + w̃. Here"
        " words are lower-cased, and windows do not cross a line end.",
    ),
    Lesson(
        id="embeddings",
        era="Meaning as place",
        title="Embeddings",
        question="Which words live near each other?",
        minutes=10,
        before=("cooccurrence",),
        model="skipgram",
        example="In April the king and the queen walked through Paris",
        tries=(
            Try(
                "January March July October",
                "Months lie close together: look at the neighbours and their cosines.",
            ),
            Try(
                "France Paris Germany Berlin Italy Rome",
                "Countries and capitals: do the pairs lie in the same direction?",
            ),
            Try(
                "king queen man woman dog cat",
                "Families of words: click each one and compare its true neighbours with the map.",
            ),
        ),
        sources=(
            (
                "Mikolov et al., Distributed Representations of Words and Phrases and their"
                " Compositionality, 2013"
            ),
            (
                "Pearson, On Lines and Planes of Closest Fit to Systems of Points in Space, 1901"
                " (principal components)"
            ),
        ),
        differs="A flat map cannot hold a hundred dimensions: neighbours on the map may be far apart"
        " in truth. The list beside it is computed in all dimensions, and the map states how"
        " much of the variance it shows.",
    ),
    Lesson(
        id="word2vec",
        era="Meaning as place",
        title="word2vec",
        question="How does a model learn a word's vector from the words around it?",
        minutes=20,
        before=("embeddings",),
        model="skipgram",
        example="the cat sat on the mat and the dog sat on the log",
        tries=(),
        sources=(
            (
                "Mikolov, Chen, Corrado & Dean, Efficient Estimation of Word Representations in"
                " Vector Space, 2013 (skip-gram, CBOW)"
            ),
            (
                "Mikolov, Sutskever, Chen, Corrado & Dean, Distributed Representations of Words and"
                " Phrases and their Compositionality, 2013 (negative sampling, tree, subsampling)"
            ),
            "Rong, word2vec Parameter Learning Explained, 2014 (every gradient)",
            "Huffman, A Method for the Construction of Minimum-Redundancy Codes, 1952",
        ),
        differs="The notes use the letter M for four things; here it is the number of words on each"
        " side. They take column t of W₁ for the word at place t; it should be the column of"
        " the word's number in the vocabulary. They call the skip-gram input “centre or target"
        " word”: the centre is the input, and the words in its window are the targets. They"
        " take W₂ as the embedding for CBOW; the original program keeps W₁ for both models."
        " They cover only the full softmax. They explain why vectors become similar but not"
        " what keeps them apart: each update also pushes a vector away from the words the"
        " model expected.",
        live=False,
    ),
    Lesson(
        id="vectors",
        era="Meaning as place",
        title="Word vectors",
        question="What do directions between words capture, and what do they miss?",
        minutes=15,
        before=("embeddings",),
        model="skipgram",
        example="king queen prince princess man woman banana",
        tries=(
            Try(
                "breakfast cereal dinner lunch",
                "Odd one out, skip-gram: “cereal” agrees least with the mean, because it is"
                " food but not a meal.",
            ),
            Try(
                "red green blue yellow seven",
                "Similarity, skip-gram: the colours form a block of cosines from 0.60 to 0.80;"
                " “seven” stays outside it.",
            ),
            Try(
                "hot cold warm cool big small large little",
                "Opposites lie as close as synonyms, skip-gram: 0.58 for hot and cold, 0.58"
                " for big and large, and 0.89 for small and large.",
            ),
        ),
        sources=(
            (
                "Mikolov, Yih & Zweig, Linguistic Regularities in Continuous Space Word"
                " Representations, 2013"
            ),
            (
                "Linzen, Issues in Evaluating Semantic Spaces Using Word Analogies, 2016 (the"
                " question's words win unless they are left out)"
            ),
            (
                "Bolukbasi et al., Man is to Computer Programmer as Woman is to Homemaker?, 2016"
                " (word axes)"
            ),
            (
                "Finkelstein et al., Placing Search in Context, 2002 (WordSim-353); Hill, Reichart"
                " & Korhonen, SimLex-999, 2015; Bruni, Tran & Baroni, 2014 (MEN)"
            ),
        ),
        differs="The notes say that king − man + woman gives queen. With the skip-gram vectors it"
        " does, provided that the three words themselves are excluded, which the notes do not"
        " mention; both rankings are shown. Other tables give other words. The notes also say"
        " that vectors hold hierarchies (animal, dog). Vectors hold nearness: a cosine does"
        " not tell a kind from a part, or a synonym from an opposite.",
    ),
    Lesson(
        id="maps",
        era="Meaning as place",
        title="Maps",
        question="What does a flat map of a hundred dimensions show, and what does it invent?",
        minutes=10,
        before=("vectors",),
        model="skipgram",
        example="January May winter week daughter sister album music river bay",
        tries=(
            Try(
                "1949 1960 1973 1976 1985 1996 1999",
                "Years: do they lie together, and in order? Then choose principal components"
                " and look again.",
            ),
            Try(
                "Sweden Virginia Ottawa Versailles Brazilian Bengali",
                "Point at a word: lines lead to its true nearest neighbours. Long lines are"
                " neighbours that the map tore apart.",
            ),
            Try(
                "January May",
                "A month and a word that is also a verb. Colour by true neighbours kept: which"
                " words does the map place worst?",
            ),
        ),
        sources=(
            (
                "Pearson, On Lines and Planes of Closest Fit to Systems of Points in Space, 1901"
                " (principal components)"
            ),
            (
                "van der Maaten & Hinton, Visualizing Data using t-SNE, 2008; McInnes, Healy &"
                " Melville, UMAP, 2018"
            ),
            (
                "Venna & Kaski, Neighborhood Preservation in Nonlinear Projection Methods, 2001"
                " (trustworthiness and continuity)"
            ),
            (
                "Wattenberg, Viégas & Johnson, How to Use t-SNE Effectively, 2016 (groups that are"
                " not there)"
            ),
            "Smilkov et al., Embedding Projector, 2016 (axes of one's own)",
        ),
        differs="The notes say that t-SNE or PCA of word vectors shows clear clusters of related"
        " words. Words close on the map are often related, but both methods also draw groups"
        " in pure noise. Here every word states how much of its neighbourhood the map kept,"
        " and the groups are compared with groups found in noise.",
    ),
    Lesson(
        id="pieces",
        era="Meaning as place",
        title="Pieces of words",
        subtitle="vectors of unknown words",
        question="How can a model give a meaning to a word it has never seen?",
        minutes=15,
        before=("tokenizers", "vectors"),
        model="fasttext",
        example="unhappiest unhappy happiest",
        tries=(
            Try(
                "unhappiest unhappy happiest",
                "The first word is built from the other two: 33 of its 34 n-grams occur in them.",
            ),
            Try("applw apple", "A misspelling: 6 of 14 n-grams survive. Is “apple” still near?"),
            Try(
                "cat cats catlike",
                "Short words have few n-grams. The page lists those of “cat”.",
            ),
            Try(
                "johnson johnston johnstone",
                "Names: the last two share 22 of 26 n-grams, though nobody told the model that"
                " they are related.",
            ),
            Try(
                "talossanikin talossa talo",
                "Finnish for “in my house too”: an English table has no row for it, yet it"
                " gets a vector, though one that knows no Finnish.",
            ),
            Try(
                "hyperhappiness happy happiness",
                "“happy” itself is not in it, but three of its n-grams are.",
            ),
        ),
        sources=(
            (
                "Bojanowski, Grave, Joulin & Mikolov, Enriching Word Vectors with Subword"
                " Information, 2017 (fastText)"
            ),
            "Hashimoto, Xiong, Tsuruoka & Socher, A Joint Many-Task Model, 2017 (CharNgram)",
        ),
        differs="The notes describe the sum of the n-grams in words and the mean in their formula; the"
        " program takes the mean and adds a row for the whole word, which the notes leave out."
        " They say that CharNgram is not trained by skip-gram; it is. They say that “applw”"
        " shares most of its n-grams with “apple”; it shares 6 of 14.",
        live=False,
    ),
    Lesson(
        id="moved",
        era="Meaning as place",
        title="Moved words",
        question="Does a word mean the same in another text?",
        minutes=10,
        before=("vectors",),
        model="skipgram",
        example="china gay cell plate coach",
        tries=(
            Try(
                "china gay cell plate coach",
                "Novels of 1839 to 1937 compared with a Wikipedia: china stood on the table, a"
                " cell was a room, gay meant bright.",
            ),
            Try(
                "monday three water father door",
                "Words with a stable meaning: compare how far they move with how far chance"
                " alone moves them.",
            ),
            Try(
                "civil base constant plate current",
                "“Civil” went with loyal and welcome, “base” with cruel. Read the neighbours"
                " before and after.",
            ),
        ),
        sources=(
            (
                "Hamilton, Leskovec & Jurafsky, Diachronic Word Embeddings Reveal Statistical Laws"
                " of Semantic Change, 2016"
            ),
            (
                "Antoniak & Mimno, Evaluating the Stability of Embedding-based Word Similarities,"
                " 2018 (chance must be measured)"
            ),
            "Schönemann, A Generalized Solution of the Orthogonal Procrustes Problem, 1966",
            "Ethayarajh, How Contextual are Contextualized Word Representations?, 2019",
        ),
        differs="The notes compare models by their neighbours only. Two training runs give spaces that"
        " are rotated against each other, so their numbers cannot be compared directly; here"
        " one is first rotated onto the other. Two runs on the same text differ as well, so"
        " every word also shows how far chance alone moves it.",
        live=False,
    ),
)
