"""Language: which one a text is written in, from its letters and its commonest small words.

What      letters of a script that one language uses decide it; else the share of the words that are
          among its small words, of each language
Source    the idea: Ingle, A Language Identification Table, 1976 (short words tell a language); the
          lists were written for this project
Differs   Twenty-eight languages with words, twelve by their script.  A larger detector needs a
          dictionary for each language in memory.
          `sure` is a rule of thumb, not a probability: how far the best language is ahead of the
          second.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from unicodedata import normalize

from engine.language.message import _
from engine.text.paged import Paged

SAMPLE = 100_000  # characters, from twenty places
FEWEST = 20  # words with letters
WORDS = {
    "English": (
        "the of and to in is that it was for on with as he at by this had are but be his from not"
        " you they which have one she"
    ),
    "German": (
        "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es"
        " an er hat aus sie nach ich war"
    ),
    "French": (
        "le la les de des et un une du en est que dans qui pour au sur pas par plus ne se ce il"
        " avec sont elle était je"
    ),
    "Spanish": (
        "el la de que y en los del se las por un para con no una su al lo como más pero sus le ya"
        " era él este sí"
    ),
    "Italian": (
        "il di che la in un per è una del non le con si da al sono della gli come ma più i lo nel"
        " era anche alla ha"
    ),
    "Portuguese": (
        "o de que e do da em um para com não uma os no se na por mais as dos como mas ao ele das à"
        " seu sua ou era"
    ),
    "Galician": (
        "de a o e que do da en un para con non unha os no se na por máis as dos como mais ao el das"
        " á seu súa ou foi"
    ),
    "Catalan": (
        "de la i el que a en els les per un amb una del és no al dels es com més va ha o seva seu"
        " tot ser són pel aquest"
    ),
    "Dutch": (
        "de van het een en in is dat op te zijn met voor niet aan er om ook als dan maar bij uit"
        " nog naar heeft ze hij was"
    ),
    "Swedish": (
        "och i att det som en på är av för med den till inte har de ett om han men var jag sig från"
        " vi så kan när"
    ),
    "Danish": (
        "og i at det en den til er som på de med han af for ikke der var et har hun men jeg sig fra"
        " så blev efter mod"
    ),
    "Norwegian": (
        "og i det å en til er som på de med han av for ikke var et har hun men jeg seg fra så ble"
        " etter mot da"
    ),
    "Finnish": (
        "ja on ei se että hän oli en mutta kun ovat tai joka myös niin kuin sen hänen ole oli ne"
        " minä mitä nyt jos vain"
    ),
    "Polish": (
        "i w na z się do nie że to jest o a jak po od za co ale przez tak dla był już tym czy jego"
        " ich tylko być"
    ),
    "Czech": (
        "a v se na je že s z do o i to jako za by ale k ve si po jsem pro jeho byl jsou tak když co"
        " už jen"
    ),
    "Slovak": (
        "a v sa na je že s z do o i to ako za by ale k vo si po som pre jeho bol sú tak keď čo"
        " už len"
    ),
    "Croatian, Bosnian or Serbian": (
        "i u je se na da su za od s koji što kao ili bi ne to iz ima biti po te nije sve do koja"
        " samo njegov sam svoje"
    ),
    "Estonian": (
        "ja on ei see et ta oli kui ning ka mis aga oma selle kes või siis nad ma seda veel tema"
        " olid iga mitte ole kuid pärast"
    ),
    "Hungarian": (
        "a az és hogy nem is egy ez meg csak de volt mint el már ha azt vagy még ki mert van ezt"
        " azért nagyon"
    ),
    "Romanian": (
        "și de în a la cu pe nu o un că din să se care pentru este mai sunt au ca dar după era lui"
        " ei al"
    ),
    "Turkish": (
        "ve bir bu da de için ile o ne gibi daha çok var ama olarak kadar sonra ben mi olan değil"
        " her en ki ya"
    ),
    "Indonesian": (
        "yang dan di itu dengan untuk dari dalam tidak ini ke pada adalah akan saya juga ada orang"
        " mereka sebuah oleh dia kami bisa"
    ),
    "Swahili": (
        "ya na wa kwa ni la katika za cha hii kama lakini yake watu hiyo kuwa alikuwa moja au hivyo"
        " sana pia wake huo"
    ),
    "Vietnamese": (
        "của và là có không trong một được cho người những với các tôi này đã đó khi anh cũng như"
        " từ ra về để"
    ),
    "Latin": (
        "et in est non ad ut cum qui quod ex sed si ab quae atque hoc esse enim aut etiam nec per"
        " sunt quam eius"
    ),
    "Russian": (
        "и в не на что он с как это по но из у за то же от она так его я был все мы бы они вы к"
    ),
    "Ukrainian": (
        "і в не на що він з як це по але із у за то від вона так його я був все ми би та до вони"
    ),
    "Bulgarian": (
        "и на да се от в за не че с по са е той как но това като ще ми до си му те беше го при"
    ),
}
SCRIPTS = (
    ("Japanese", "\u3040-\u30ff", 0.05),  # before Chinese: Japanese is written with both
    ("Korean", "\uac00-\ud7af\u1100-\u11ff", 0.3),
    ("Chinese", "\u4e00-\u9fff\u3400-\u4dbf", 0.3),
    ("Greek", "\u0370-\u03ff\u1f00-\u1fff", 0.3),
    ("Hebrew", "\u0590-\u05ff", 0.3),
    ("Arabic or Persian", "\u0600-\u06ff", 0.3),
    ("Hindi or another language in Devanagari", "\u0900-\u097f", 0.3),
    ("Bengali", "\u0980-\u09ff", 0.3),
    ("Tamil", "\u0b80-\u0bff", 0.3),
    ("Thai", "\u0e00-\u0e7f", 0.3),
    ("Georgian", "\u10a0-\u10ff", 0.3),
    ("Armenian", "\u0530-\u058f", 0.3),
)
_LISTS = {name: frozenset(words.split()) for name, words in WORDS.items()}


@dataclass(frozen=True, slots=True)
class Language:
    """`sure`: "sure", "likely" or "unsure"; `says` is one sentence that tells why."""

    name: str
    sure: str
    says: str


def guess(text: str | Paged) -> Language:
    step = max(len(text) // 20, 1)
    some = (
        text[: len(text)]
        if len(text) <= SAMPLE
        else " ".join(text[at : at + SAMPLE // 20] for at in range(0, len(text), step))
    )
    some = normalize("NFC", some)
    letters = "".join(filter(str.isalpha, some))
    for name, signs, least in SCRIPTS:
        share = len(re.findall(f"[{signs}]", letters)) / max(len(letters), 1)
        if share >= least:
            return Language(
                name,
                "sure",
                _("{share:.0f} % of its letters are those of this script.", share=100 * share),
            )
    words: list[str] = re.findall(r"[^\W\d_]+", some.lower())
    if len(words) < FEWEST:
        return Language(
            "unknown", "unsure", _("It has too few words to tell: {words}.", words=len(words))
        )
    counts = Counter(words)
    shares = {
        name: sum(counts[word] for word in small) / len(words) for name, small in _LISTS.items()
    }
    (best, most), (second, next_most) = sorted(shares.items(), key=lambda row: -row[1])[:2]
    if most < 0.08:
        return Language(
            "unknown",
            "unsure",
            _(
                "Only {most:.0f} % of its words are small words of {best}, the closest of"
                " {words} known languages.",
                most=100 * most,
                best=best,
                words=len(WORDS),
            ),
        )
    sure = (
        "sure"
        if most > 0.2 and most > 1.5 * next_most
        else "likely"
        if most > 1.15 * next_most
        else "unsure"
    )
    return Language(
        best,
        sure,
        _(
            "{most:.0f} % of its words are small words of {best}; {next_most:.0f} % are of"
            " {second}, the second best.",
            most=100 * most,
            best=best,
            next_most=100 * next_most,
            second=second,
        ),
    )
