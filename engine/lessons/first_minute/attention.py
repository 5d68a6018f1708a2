"""First minutes: models that look back."""

from __future__ import annotations

from collections.abc import Mapping

from engine.lessons.base import Step

TIRED = (
    "The dog did not cross the street because it was tired\nLe chien n'a pas traversé la rue parce"
)

ATTENTION: Mapping[str, tuple[Step, ...]] = {
    "attention": (
        Step(
            "At “que”, the first half of the word, with 90 % of its weight: this head puts words"
            " together.",
            text="The king spoke to the queen",
            link="layer=0&head=3",
            panel="chain",
            asks="“queen” is two tokens. From “en”, where does head 4 of layer 1 look?",
            choices=("king", "que", "spoke"),
            covers=("working",),
        ),
        Step(
            "53 % on “girl”, 44 % on “man”: the two who could be shaking. The next word "
            "has to be “her” or “his”.",
            text="The girl looked at the old man and shook",
            link="layer=2&head=3",
            panel="chain",
            asks="Somebody shook. From that word, whom does head 4 of layer 3 look at?",
            choices=("the girl", "the man", "both"),
            covers=("working",),
        ),
        Step(
            "Three quarters of each row go to the first token. A row must add up to 1, so a head"
            " that finds nothing needs a place to rest.",
            text="The cat sat on the mat and the cat",
            link="layer=1&head=1",
            panel="chain",
        ),
    ),
    "lookup": (
        Step(
            "3: hard, the best key takes all. Soft, “three” has 54 % and “five” 46 %, and what is read"
            " is 3.94.",
            text="four\none: 1\nthree: 3\nfive: 5\nseven: 7\nnine: 9",
            link="rules=6.cosine",
            panel="lookup",
            asks="No key is called “four”. What does a hard lookup by likeness read?",
            choices=("nothing", "3", "4"),
            covers=("reading",),
        ),
        Step(
            "Warm: every key has about 20 %, and the reading is the plain mean, 5.02. Colder than"
            " 0.02, “three” takes all.",
            text="four\none: 1\nthree: 3\nfive: 5\nseven: 7\nnine: 9",
            link="rules=60.cosine",
            panel="heat",
        ),
        Step(
            "Hard takes “rockets”. Soft reads three books at once: most like “quasars”, which stands"
            " in none of them.",
            text="space travel\nastronomy: stars, planets and telescopes\ncooking: recipes, spices"
            " and bread\nrockets: engines, fuel and orbits\nsailing: ships, wind and harbours",
            link="rules=20.cosine",
            panel="reading",
        ),
    ),
    "masks": (
        Step(
            "Fewer: 2.89 instead of 3.97 a token. It reads ahead what it should foretell; a low loss alone"
            " says nothing.",
            text="The girl looked at the old man and shook her head",
            link="rules=none.4.zero&layer=0&head=0",
            panel="masklab",
            asks="Without its mask it sees the words to come. What does a token cost?",
            choices=("more bits", "fewer bits", "the same"),
        ),
        Step(
            "Below the diagonal the first token has nobody. By −∞ its row has no numbers, and so have"
            " all 11 predictions.",
            text="The girl looked at the old man and shook her head",
            link="rules=below.4.inf&layer=0&head=0",
            panel="masklab",
        ),
        Step(
            "By a large number its row has 8.33 % for each of the 12 tokens: 6.31 bits instead of 3.97,"
            " and no error.",
            text="The girl looked at the old man and shook her head",
            link="rules=below.4.e9&layer=0&head=0",
            panel="masklab",
        ),
        Step(
            "A window of four has lost the name: “l” gets 4.4 %, and 82 % under the model's own mask.",
            text="The dog was called Llanfair. We all liked L",
            link="rules=window.4.zero&layer=4&head=2",
            panel="masklab",
        ),
    ),
    "heads": (
        Step(
            "A line of cells just below the diagonal: head 1 of layer 2 looks at the previous"
            " token, whatever it is.",
            text="The students opened their books because they wanted to read",
            link="layer=1&head=0",
            panel="open",
        ),
        Step(
            "Whole columns light up: head 2 of layer 2 puts 99 % of its weight on colons, full"
            " stops and quotation marks.",
            text='She said: "The king is here." He said: "The queen is gone."',
            link="layer=1&head=1",
            panel="open",
        ),
        Step(
            "At “ib”, which followed the first “T”. An induction head: it copies, and the model"
            " gives “ib” 83 % for a name it never read.",
            text="The dog was called Tibbleford. We all liked T",
            link="layer=4&head=2",
            panel="open",
            asks="From the second “T”, where does head 3 of layer 5 look?",
            choices=("the first T", "what followed it", "dog"),
            covers=("wall", "arcs"),
        ),
    ),
    "positions": (
        Step(
            "Each clock is two numbers of a position: the first turns once in 6.3 places, the last"
            " hardly at all. Together they name any place.",
            text="The dog bites the man and the man bites the dog",
            panel="places",
        ),
        Step(
            "Head 2 of layer 1 gives the previous token 44 % of its weight on average. Without"
            " positions it could not tell which one that is.",
            text="The dog bites the man and the man bites the dog",
            link="layer=0&head=1&field=attention",
            panel="open",
        ),
        Step(
            "Now choose None, RoPE or ALiBi above: the same text and the same number of "
            "heads, but another way to tell the model where a word stands.",
            text="The dog bites the man and the man bites the dog",
            panel="wall",
        ),
    ),
    "transformer": (
        Step(
            "In layer 4. “St”, for States, has 1.4 % after layer 1, then 4.2, 13 and 61 %, and 97 %"
            " after layer 5.",
            text="The president of the United",
            link="stop=31",
            panel="lens",
            asks="The next word has to be “States”. In which layer does it become likely?",
            choices=("layer 1", "layer 4", "the last"),
            covers=("pushes",),
        ),
        Step(
            "“head” ranks first already after layer 1, with 14 %. Layer 2 raises that to 44 %, and"
            " it ends at 91 %.",
            text="He shook his",
            link="stop=14",
            panel="lens",
        ),
        Step(
            "Every block adds its push. Of all heads, head 2 of layer 4 pushes “as” up most.",
            text="as soon as possible, as well",
            link="stop=22",
            panel="pushes",
        ),
    ),
    "sparse": (
        Step(
            "Of 24 tokens the last looks at 4, and after three layers has heard of 10: each layer reaches"
            " three further back.",
            text="The dog was called Llanfair. We all liked L",
            link="rules=window.4.zero&times=3&layer=4&head=2",
            panel="gallery",
        ),
        Step(
            "4.4 %: the window has lost the name. Under its own mask the model gave “l” 82 %.",
            text="The dog was called Llanfair. We all liked L",
            link="rules=window.4.zero&times=3&layer=4&head=2",
            panel="masklab",
            asks="It used to copy “l” from the name, with 82 %. With a window of four?",
            choices=("still 82 %", "about half", "almost nothing"),
        ),
        Step(
            "“an”, with 58 %: strided leaves it some tokens of the name, and it copies the wrong one.",
            text="The dog was called Llanfair. We all liked L",
            link="rules=strided.4.zero&times=3&layer=4&head=2",
            panel="masklab",
        ),
        Step(
            "76 % with four keys a row, the best ones. To find them all scores were computed, though.",
            text="The dog was called Llanfair. We all liked L",
            link="rules=top.4.zero&times=3&layer=4&head=2",
            panel="masklab",
        ),
    ),
    "decoding": (
        Step(
            "205: the model is unsure what the king would do, so the tail is long.",
            text="The king said that he would",
            link="rules=p0.9",
            panel="sieve",
            asks="Top-p 0.9 keeps the likeliest tokens up to 90 %. How many of 4,095 are left?",
            choices=("9", "41", "205"),
            covers=("tail", "draws"),
        ),
        Step(
            "One: “head” alone has 91 %. The same rule cuts hard where the model is sure.",
            text="He shook his",
            link="rules=p0.9",
            panel="sieve",
            asks="The same rule after “He shook his”: how many are left now?",
            choices=("1", "20", "205"),
            covers=("tail", "draws"),
        ),
        Step(
            "Min-p 0.1 keeps what is at least a tenth as likely as the best: 7 tokens, which hold"
            " 51 % of the mass.",
            text="The king said that he would",
            link="rules=m0.1",
            panel="sieve",
        ),
    ),
    "bert": (
        Step(
            "“bank”, with 99.5 %: BERT also reads what stands behind the gap, “river” and “muddy”.",
            text="The [MASK] by the river is muddy.",
            link="masks=&token=2",
            panel="blanks",
            asks="The … by the river is muddy. Which word does BERT put in?",
            choices=("path", "bank", "boat"),
            covers=("sides",),
        ),
        Step(
            "“bank” again, with 95 %: the same word, for another reason.",
            text="She put money in the [MASK].",
            link="masks=&token=6",
            panel="blanks",
        ),
        Step(
            "Two gaps: in the second, three kinds of water compete, “stream” with 38 %, “lake” with"
            " 36 % and “river” with 26 %.",
            text="The [MASK] by the [MASK] is muddy.",
            link="masks=&token=5",
            panel="blanks",
        ),
        Step(
            "No: 99.9 % for NotNext. Each sentence is fine, but they do not belong together.",
            text="I went to the store.\nQuantum physics explores subatomic particles.",
            link="masks=&token=0",
            panel="follows",
            asks="Two sentences. Does the second follow the first?",
            choices=("yes", "no"),
        ),
    ),
    "translation": (
        Step(
            "At “black”, with 99.7 %: it looks back past the cat, because in French the colour"
            " comes behind the noun.",
            text="The small black cat ate the mouse\nLe petit chat",
            link="layer=1&head=0",
            panel="cross",
            asks="“noir” comes next. Where does head 1 of layer 2 look to write it?",
            choices=("cat", "black", "ate"),
        ),
        Step(
            "“qu'il”: the head looks at “dog” with over 99.9 %, and “le chien” is masculine.",
            text=TIRED,
            panel="next",
            asks="It was tired: will the translator write “qu'il” or “qu'elle”?",
            choices=("qu'il", "qu'elle"),
            covers=("cross", "beam"),
        ),
        Step(
            "Change one English word, and it becomes “qu'elle”: the head now looks at "
            "“street”, “la rue”, with 99.9 %.",
            text=TIRED.replace("tired", "wide"),
            link="layer=1&head=0",
            panel="cross",
        ),
        Step(
            "“chien”: it looks at the word that it does not know with over 99 % and guesses a"
            " common animal, with 13 %.",
            text="The zebra sat on the mat\nLe",
            link="layer=1&head=0",
            panel="next",
            asks="“zebra” is underlined: it is none of its words. What will it write after “Le”?",
            choices=("zèbre", "chien", "nothing"),
            covers=("cross", "beam", "write"),
        ),
    ),
    "local": (
        Step(
            "“not”, and nothing else. Global attention gives “did” 75 % and “not” 25 %, and averages"
            " the two.",
            text="The dog did not cross the street because it was tired\nLe chien",
            link="by=hard",
            panel="scopes",
            asks="“n'a” comes next, which is “did not”. Hard attention takes one word whole. Which?",
            choices=("did", "not", "dog"),
        ),
        Step(
            "It foretells place 3.80 and looks at four words, from “small” to “ate”. The bell leaves"
            " “black”, at place 3, 73 %.",
            text="The small black cat ate the mouse\nLe petit chat",
            link="by=local-p",
            panel="sum",
        ),
        Step(
            "Before the first word the window is at place 6.10, the middle of the source. Behind"
            " “Le” it jumps to 2.52, and then it goes along with the French.",
            text="The dog did not cross the street because it was tired\nLe chien n'a pas traversé",
            link="by=local-p",
            panel="path",
        ),
        Step(
            "The variance of one draw is 11.8 without a baseline and 8.35 with the best one."
            " Press Draw 1000: the dots come to the bars.",
            text="The dog did not cross the street because it was tired\nLe chien",
            link="by=hard",
            panel="learns",
        ),
    ),
    "patching": (
        Step(
            "Head 4 of layer 3 looks back at “girl”, and the model gives “her” 53 %. No part is"
            " switched off yet.",
            text="The girl looked at the old man and shook",
            link="layer=2&head=3",
            panel="weighing",
        ),
        Step(
            "“his”: without this one head, “her” falls from 53 % to 32 %. So the head was used for"
            " the answer.",
            text="The girl looked at the old man and shook",
            link="layer=2&head=3&edits=reading:2:3:*:scale:0",
            panel="moves",
            asks="Now that head is switched off. Which word is likeliest?",
            choices=("her", "his", "the"),
            covers=("writing",),
        ),
        Step(
            "Head 3 of layer 5 copies what followed the first “L”. Without it, “l” falls from 82 %"
            " to 3.4 %.",
            text="The dog was called Llanfair. We all liked L",
            link="layer=4&head=2&edits=reading:4:2:*:scale:0",
            panel="moves",
        ),
    ),
}
