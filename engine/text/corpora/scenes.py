"""Scenes: small everyday passages in which the words around a word say what it means.

What      a scene (a river, a bank, a kitchen ...), a person, two to four sentences; each blank is
          filled with a word of its list
Source    the sentences on the bank, the store and physics are those of the course notes; the way of
          making them is a context-free grammar with one level
Differs   A passage stays in its scene, and its person stays the same.  “Bank” is in two scenes,
          “bat” and “letter” too: only the words around tell them apart.  Every other word here was
          written for this project.
"""

from __future__ import annotations

import random
import re

from engine.text.corpora.base import Corpus

MEN = (
    "Adam Ben Carl David Emil Hugo Leo Martin Otto Paul Simon Tom the_king the_farmer the_old_man"
    " the_boy the_father the_captain his_brother".split()
)
WOMEN = (
    "Anna Clara Dora Edith Flora Ida Jane Lena Mary Nora Rosa Sally the_queen the_teacher"
    " the_old_woman the_girl the_mother the_doctor her_sister".split()
)
SLOT = re.compile(r"\{(\w+)\}")
BLANKS = {
    "time": (
        "yesterday|today|in the morning|in the evening|at night|on Sunday|on Monday|in spring|in"
        " summer|in winter"
    ),
    "colour": "red|blue|green|white|black|brown|yellow|grey",
    "size": "small|big|old|new|little|large",
    "felt": "happy|sad|tired|glad|afraid|proud|angry|cold|hungry",
    "pet": "cat|dog|kitten|puppy",
    "water": "river|stream|lake",
    "fish": "fish|trout|salmon",
    "boat": "boat|ship|canoe",
    "sum": "money|coins|gold|a large sum|ten pounds|a hundred dollars",
    "food": "bread|soup|rice|meat|cheese|cake|fish",
    "drink": "milk|water|tea|coffee|juice",
    "fruit": "apples|pears|plums|cherries|oranges",
    "seat": "mat|chair|sofa|bed|floor|rug",
    "room": "kitchen|garden|bedroom|hall|cellar",
    "book": "book|story|poem|letter|newspaper",
    "tune": "song|tune|melody",
    "play": "piano|violin|guitar|flute|drum",
    "ware": "milk|bread|butter|eggs|sugar|flour|apples|cheese",
    "shop": "store|shop|market",
    "science": "quantum physics|physics|chemistry|astronomy|biology",
    "thing": "subatomic particles|atoms|stars|planets|cells|light|energy",
    "beast": "cow|horse|sheep|pig|goat|hen",
    "crop": "corn|wheat|hay|grass",
    "sky": "rain|snow|wind|fog|sun|storm",
    "town": "town|city|village",
    "way": "train|bus|car|bike",
    "lesson": "history|reading|writing|music|numbers",
    "team": "team|club|side",
    "sport": "game|match|race",
    "flower": "roses|tulips|lilies|daisies",
}
SCENES = {
    "river": (
        (
            "The bank by the {water} is {steep}.|The bank of the {water} was {steep}.|{S} sat by"
            " the {water} bank.|{S} went fishing by the {water}.|{I} going fishing by the {water}"
            " bank.|The bank is by the {water}.|{S} walked along the bank of the {water}"
            " {time}.|{S} swam in the {water} {time}.|{S} caught a {size} {fish} in the"
            " {water}.|The {water} was deep and cold.|There were {size} {fish} in the {water}.|{S}"
            " rowed the {boat} across the {water}.|{S} tied the {boat} to a tree on the bank.|Grass"
            " grew on the bank of the {water}.|A {fish} jumped out of the water.|{S} sat on the"
            " bank and looked at the water."
        ),
        {"steep": "steep|muddy|green|eroding|wet|high|low|sandy"},
    ),
    "money": (
        (
            "{S} deposited {sum} in the bank.|{S} took {sum} from the bank.|{S} went to the bank"
            " {time}.|{S} needed to deposit {sum} at the bank.|{I} need to deposit {sum} at the"
            " bank.|The bank in the {town} was {open}.|The bank lent {o} {sum}.|{S} paid the bank"
            " back {time}.|The bank kept the {coin} safe.|{S} had {sum} in the bank.|{S} asked the"
            " bank for {sum}.|The bank was robbed {time}.|{S} counted the {coin} twice.|{S} worked"
            " at the bank in the {town}.|{S} opened an account at the bank."
        ),
        {"open": "open|closed|full|busy|rich", "coin": "money|coins|gold"},
    ),
    "shop": (
        (
            "{S} went to the {shop}.|{S} went to the {shop} {time}.|{S} bought some {ware}.|{S}"
            " bought {ware} and {ware}.|The {shop} was {open} {time}.|{S} paid for the {ware}.|{S}"
            " forgot to buy {ware}.|The {ware} cost two dollars.|{S} put the {ware} into a {size}"
            " bag.|{S} came home from the {shop} with {ware}.|There was no {ware} left in the"
            " {shop}."
        ),
        {"open": "open|closed|full|busy|small"},
    ),
    "home": (
        (
            "The {pet} sat on the {seat}.|The {size} {pet} slept on the {seat}.|The {pet} sat on"
            " the {seat} because it was tired.|{S} fed the {pet} {time}.|{S} gave the {pet} some"
            " {drink}.|The {pet} drank the milk.|The {pet} chased a mouse.|{S} stroked the"
            " {pet}.|The {pet} ran into the {room}.|The {colour} {pet} was asleep in the"
            " {room}.|{S} looked for the {pet} in the {room}.|A mouse ran across the floor."
        ),
        {},
    ),
    "kitchen": (
        (
            "{S} cooked {food} in the kitchen.|{S} ate {food} with a spoon.|{S} was hungry and ate"
            " some {food}.|{S} drank a cup of {drink}.|The {food} was hot.|The {food} smelled"
            " good.|{S} cut the {food} with a knife.|{S} baked a cake {time}.|{S} washed the"
            " plates.|{S} set the table for dinner.|{S} put the {food} on the table.|Dinner was"
            " ready {time}."
        ),
        {},
    ),
    "school": (
        (
            "{S} went to school {time}.|The students opened their books.|The students opened their"
            " books because they wanted to read.|{S} read a {book} at school.|{S} wrote a {book}"
            " for the teacher.|The teacher asked {o} a question.|{S} knew the answer.|{S} learned"
            " {lesson} {time}.|{S} wrote the letter a on the board.|The first letter of the word"
            " was big.|The lesson was long.|The children listened to the teacher.|The teacher read"
            " a story to the class."
        ),
        {},
    ),
    "post": (
        (
            "{S} wrote a letter to {p} {kin}.|{S} sent the letter {time}.|The letter came"
            " {time}.|{S} opened the letter and read it.|The letter was from {p} {kin}.|{S} put a"
            " stamp on the letter.|{S} waited for an answer from {p} {kin}.|The postman brought a"
            " letter for {o}.|{S} was {felt} when the letter came."
        ),
        {"kin": "mother|father|sister|brother|friend|uncle|aunt"},
    ),
    "science": (
        (
            "{Science} explores {thing}.|{Science} is about {thing}.|{Science} studies {thing} and"
            " {thing}.|Scientists measure {thing}.|The scientist wrote about {thing}.|{S} studied"
            " {science}.|{S} looked at {thing} through a glass.|Nobody can see {thing} with the"
            " eye.|The theory explains {thing}."
        ),
        {"Science": "Quantum physics|Physics|Chemistry|Astronomy|Biology"},
    ),
    "farm": (
        (
            "{S} fed the {beast} {time}.|The {beast} ate the {crop}.|{S} cut the {crop} {time}.|The"
            " {beast} stood in the field.|The {crop} grew high in the field.|{S} milked the cow"
            " {time}.|The {colour} {beast} ran away.|{S} drove the {beast} into the barn.|There"
            " were many {beast} on the farm.|The {crop} was dry."
        ),
        {},
    ),
    "cave": (
        (
            "The bat flew out of the cave at night.|A bat slept in the cave.|The bat hung from the"
            " roof of the cave.|{S} saw a bat in the dark cave.|The bat ate a moth.|The cave was"
            " dark and cold.|{S} went into the cave with a lamp.|The bat has wings and sleeps by"
            " day.|An owl and a bat flew through the night."
        ),
        {},
    ),
    "sport": (
        (
            "{S} hit the ball with the bat.|{S} bought a new bat for the {sport}.|The bat was made"
            " of wood.|The {team} won the {sport} {time}.|The {team} lost the {sport}.|{S} threw"
            " the ball to {p} friend.|{S} ran fast and won the race.|The ball flew over the"
            " wall.|{S} played for the {team} {time}.|{S} swung the bat and missed the ball."
        ),
        {},
    ),
    "music": (
        (
            "{S} played the {play} {time}.|{S} sang a {tune} for {p} mother.|The {tune} was"
            " {sad}.|{S} listened to the {tune}.|The {play} stood in the hall.|{S} learned to play"
            " the {play}.|They danced to the {tune}.|The {play} and the {play} played the same"
            " {tune}."
        ),
        {"sad": "sad|slow|fast|old|sweet|long"},
    ),
    "weather": (
        (
            "It was {cold} {time}.|The {sky} was strong {time}.|The {sky} came from the west.|{S}"
            " stayed at home because of the {sky}.|It rained all day.|It snowed all night.|{S} was"
            " wet and cold.|The sun shone {time}.|{S} took an umbrella because it rained.|The wind"
            " blew {p} hat away."
        ),
        {"cold": "cold|warm|hot|dark|wet|dry"},
    ),
    "travel": (
        (
            "{S} went to the {town} by {way}.|The {way} was late {time}.|{S} waited for the"
            " {way}.|{S} took the {way} to the {town}.|The road to the {town} was long.|{S} left"
            " the {town} {time}.|{S} lost {p} ticket.|The {way} stopped in the {town}.|{S} drove"
            " the car to the {town} {time}.|{S} came back from the {town} {time}."
        ),
        {},
    ),
    "castle": (
        (
            "The king and the queen sat in the hall.|The king spoke to the queen.|The queen spoke"
            " to the king.|The king was {felt}.|The queen was {felt}.|The king gave the queen a"
            " {size} crown of gold.|The {size} castle stood on a hill.|The king lived in the castle"
            " with the queen.|The queen had a {colour} dress.|The king rode a {colour} horse.|The"
            " king and the queen lived in a {size} castle.|The queen told the king a story."
        ),
        {},
    ),
    "garden": (
        (
            "{S} planted {flower} in the garden.|The {flower} were {colour}.|{S} picked {fruit}"
            " from the tree.|The {fruit} were sweet.|{S} watered the {flower} {time}.|The tree in"
            " the garden was {size}.|The {fruit} fell from the tree.|A bird sang in the tree.|The"
            " garden was full of {flower}.|{S} sat under the tree {time}.|{S} gave {p} mother"
            " {colour} {flower}."
        ),
        {},
    ),
}


def passage(rng: random.Random) -> str:
    """Two to four different sentences of one scene about one person."""
    sentences, own = SCENES[rng.choice(list(SCENES))]
    blanks = {**BLANKS, **own}
    someone = rng.random()
    name, he, him, his = (
        (rng.choice(MEN), "he", "him", "his")
        if someone < 0.4
        else (rng.choice(WOMEN), "she", "her", "her")
        if someone < 0.8
        else ("I", "I", "me", "my")
    )
    chosen, made, named = rng.sample(sentences.split("|"), rng.randint(2, 4)), [], False
    for sentence in chosen:
        who = he if named and rng.random() < 0.8 else name.replace("_", " ")
        named = named or "{S}" in sentence
        fixed = {"S": who, "o": him, "p": his, "I": "I'm" if "going" in sentence else "I"}

        def fill(blank: re.Match[str], fixed: dict[str, str] = fixed) -> str:
            return fixed.get(blank[1]) or rng.choice(blanks[blank[1]].split("|"))

        line = SLOT.sub(fill, sentence)
        made.append(line[0].upper() + line[1:])
    return " ".join(made)


class Scenes(Corpus):
    id = "scenes"
    title = "Everyday scenes"
    says = (
        "Small passages of sixteen scenes; words such as bank and bat are in two of them and mean"
        " two things."
    )
    licence = "written for this project"

    def text(self, lines: int = 40_000, seed: int = 0) -> str:
        rng = random.Random(seed)
        return "".join(f"{passage(rng)}\n" for _ in range(lines))


CORPUS = Scenes()
