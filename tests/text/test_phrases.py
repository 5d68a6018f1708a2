"""The pairs of sentences: links by hand, elision, agreement checked by another route; alignment and
layer sizes that build on them."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import pairwise

from torch import nn

from engine.analysis.costs import layers
from engine.text.corpora.phrases import CORPUS, FIRST, Pair, Phrase, Phrases, written
from tests.conftest import together

# By hand, not read from the grammar: nouns of each gender, singular and plural.
SHE = (
    "souris vache chèvre poule grenouille abeille fille reine femme sœur lettre clé fleur balle"
    " lampe boîte bague table chaise pierre maison forêt cuisine église rue rivière route".split()
)
HE = (
    "chat chien oiseau cheval renard lapin loup ours garçon roi homme boulanger frère livre chapeau"
    " gâteau fromage couteau tapis lit banc toit arbre mur jardin village pont champ tunnel".split()
)
ONES = {"le": HE, "un": HE, "la": SHE, "une": SHE}
BEFORE = {"petit": HE, "petite": SHE, "grand": HE, "grande": SHE, "gros": HE, "grosse": SHE}
AFTER = {
    **dict.fromkeys("noir blanc vert brun bleu gris".split(), HE),
    **dict.fromkeys("noire blanche verte brune bleue grise".split(), SHE),
}


@cache  # not while tests are collected
def some() -> tuple[Pair, ...]:
    return tuple(CORPUS.pairs[:4000])


def linked(pair: Pair, english: str, french: str) -> bool:
    e, f = pair.english.lower().split(), pair.french.lower().split()
    return (e.index(english), f.index(french)) in pair.links


def test_the_mat_is_first_no_sentence_comes_twice_and_articles_are_elided() -> None:
    assert (some()[0].english, some()[0].french) == FIRST
    assert len({pair.english for pair in CORPUS.pairs}) == len(CORPUS.pairs) == 20_000
    assert list(Phrases().generate(50, 0)) == list(some()[:50]) != list(Phrases().generate(50, 1))
    full = "le oiseau ne est pas la abeille que il se est ne se est la reine".split()
    phrase = Phrase(french=tuple((word, frozenset((i,))) for i, word in enumerate(full)))
    assert written(phrase).french == "L'oiseau n'est pas l'abeille qu'il s'est ne s'est la reine"


def test_links_by_hand() -> None:
    # the mat: the-Le, cat-chat, sat-s'est, sat-assis, on-sur, the-le, mat-tapis
    assert some()[0].links == ((0, 0), (1, 1), (2, 2), (2, 3), (3, 4), (4, 5), (5, 6))
    for pair in some():
        e, f = len(pair.english.split()), len(pair.french.split())
        assert all(0 <= a < e and 0 <= b < f for a, b in pair.links)
        assert len(set(pair.links)) == len(pair.links)
        told = {b for _, b in pair.links}
        silent = [word for b, word in enumerate(pair.french.lower().split()) if b not in told]
        assert set(silent) <= {"de", "des"}  # only an article that English leaves out


def test_words_cross_and_negation_embraces() -> None:
    crossing = next(p for p in CORPUS.pairs if p.english.startswith("The small black cat "))
    assert linked(crossing, "small", "petit")
    assert linked(crossing, "black", "noir")
    assert linked(crossing, "cat", "chat")
    assert crossing.french.startswith("Le petit chat noir ")
    no = next(p for p in some() if "did not eat" in p.english and p.french.count("pas") == 1)
    e, f = no.english.split(), no.french.split()
    held = sorted(b for a, b in no.links if e[a] == "not")
    assert f[held[0]].startswith("n'") and f[held[1]] == "pas" and held[1] == held[0] + 1


@together(("forms", "after"), [(ONES, True), (BEFORE, True), (AFTER, False)])
def test_agreement_by_another_route(forms: dict[str, list[str]], after: bool) -> None:
    """What stands next to a singular noun has its gender; looked up in lists written for this test."""
    seen: Counter[str] = Counter()
    for pair in some():
        words = pair.french.lower().split()
        for here, there in pairwise(words):
            form, noun = (here, there) if after else (there, here)
            if form in forms and noun in (*HE, *SHE):
                assert noun in forms[form], pair.french
                seen[form] += 1
    assert set(forms) <= set(seen)


def test_it_takes_the_gender_of_its_noun() -> None:
    for pair in some():
        english, words = pair.english.split(), pair.french.lower().replace("qu'", "").split()
        if "and it is" not in pair.english:
            continue
        noun = next(w.removeprefix("l'") for w in words if w.removeprefix("l'") in (*HE, *SHE))
        assert words[words.index("et") + 1] == ("elle" if noun in SHE else "il"), (english, noun)


def test_because_of_what_is_said() -> None:
    """The dog did not cross the street because it was tired: he; wide: the street."""
    seen = set()
    for pair in CORPUS.pairs:
        if " because it was " not in pair.english:
            continue
        words = [w.removeprefix("l'") for w in pair.french.lower().split()]
        nouns = [w for w in words if w in (*HE, *SHE)]
        alive = pair.english.split()[-1] in ("tired", "hungry", "sick", "afraid", "lazy")
        meant = nouns[0] if alive else nouns[-1]
        assert words[words.index("parce") + 1] == ("qu'elle" if meant in SHE else "qu'il"), pair
        seen.add((meant in SHE, meant == nouns[0]))
    assert len(seen) == 4


def test_layers_are_those_of_torch_of_the_paper_and_of_the_model() -> None:
    # d = 512, inner 2048: attention 4 * 512^2 + 4 * 512 = 1,050,624; feed-forward 2 * 512 * 2048 +
    # 2048 + 512 = 2,099,712
    parts = {"attention": 1_050_624, "feed_forward": 2_099_712, "norm": 1024}
    assert layers.parts(512, 2048) == parts
    assert layers.encoder(512, 2048) == 3_152_384 and layers.decoder(512, 2048) == 4_204_032
    assert layers.count_parameters(512, 2048, 6, 37_000, 0) == 44_138_496
    assert (
        layers.count_parameters(512, 2048, 6, 37_000, 3)
        - layers.count_parameters(512, 2048, 6, 37_000, 2)
        == 18_944_000
    )
    for ours, made in (
        (layers.encoder, nn.TransformerEncoderLayer(24, 2, 40)),
        (layers.decoder, nn.TransformerDecoderLayer(24, 2, 40)),
    ):
        assert ours(24, 40) == sum(p.numel() for p in made.parameters())
    from engine.models.encoder_decoder import Config, Net

    c = Config(width=24, heads=2, layers=3, inner=40, norm_first=False)
    assert sum(p.numel() for p in Net(50, c).parameters()) == layers.count_parameters(
        24, 40, 3, 50, 1
    )
