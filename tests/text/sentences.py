"""Sentences in many scripts, cut into words by hand: | between them, blanks where there are any."""

from __future__ import annotations

ENGLAND = "\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"  # tags behind a flag
SENTENCES = {
    "Telugu": "నేను |ఉదయం |పాలు |తాగుతాను|.",
    "Hindi": "मैं |सुबह |क्षत्रिय |का |दूध |पीता |हूँ|।",
    "Bengali": "আমি |সকালে |গল্প |পড়তে |চাই|।",
    "Tamil": "நான் |காலையில் |பால் |குடிக்கிறேன்|.",
    "Kannada": "ನಾನು |ಬೆಳಿಗ್ಗೆ |ಹಾಲು |ಕುಡಿಯುತ್ತೇನೆ|.",
    "Malayalam": "ഞാൻ |രാവിലെ |പാൽ |കുടിക്കുന്നു|.",
    "Gujarati": "હું |સવારે |દૂધ |પીઉં |છું|.",
    "Punjabi": "ਮੈਂ |ਸਵੇਰੇ |ਦੁੱਧ |ਪੀਂਦਾ |ਹਾਂ|।",
    "Odia": "ମୁଁ |ସକାଳେ |କ୍ଷୀର |ପିଏ|।",
    "Sinhala": "මම |උදේ |කිරි |බොනවා|.",
    "Thai": "ฉั|น|ดื่|ม|น้ำ |ต|อ|น|เ|ช้|า",
    "Lao": "ຂ້|ອ|ຍ|ດື່|ມ|ນ້ຳ",
    "Khmer": "ខ្ញុំ|ផឹ|ក|ទឹ|ក|។",
    "Burmese": "ရေ|သော|က်|တ|ယ်|။",
    "Tibetan": "ང|་|ཆུ|་|འཐུང|་|།",
    "Hebrew": "שָׁלוֹם |לַיֶּלֶד|, |צה\"ל |ג'",
    "Arabic": "أَشْرَبُ |الحَلِيبَ |صَبَاحًا|، |نَعَمْ|؟",
    "Persian": "من |شیر |می‌نوشم|.",
    "Chinese": "我|早|上|喝|牛|奶|。",
    "Japanese": "私|は|ミルク|を|飲|む|。",
    "Korean": "나는 |아침에 |우유를 |마신다|.",
    "Hangul letters": "\u1112\u1161\u11ab\u1100\u1173\u11af |\u110b\u1161",
    "Greek": "Το |πρωι\u0301 |πίνω |γάλα|.",
    "Russian": "У\u0301тром |я |пью |молоко|.",
    "Armenian": "Ես |առավոտյան |կաթ |եմ |խմում|։",
    "Georgian": "მე |დილით |რძეს |ვსვამ|.",
    "Amharic": "ጠዋት |ወተት |እጠጣለሁ|።",
    "Adlam": "𞤀𞤣𞤤𞤢𞤥\U0001e944 |𞤆𞤵𞤤𞤢𞤪",
    "English": "It's |o’clock|, |isn't |it|: |3|.|14 |m² |snake|_|case|?",
    "German": "Über |„|Straße|“ |– |zwei",
    "Catalan": "El |col·legi |és |paral·lel|, |1|·|2 |i |a|·| b",
    "Vietnamese": "Tôi |uô\u0301ng |sữa",
    "emoji": f"👩‍👩‍👧 |came |🏳️‍🌈 |👍🏽|👍🏽 |🇩🇪|🇫🇷 |1️⃣|2️⃣ |#️⃣ |🏴{ENGLAND}",
    "soft hyphen": "mar\u00adket |day",
}
# what a reader sees as one character, in some of them
CHARACTERS = {
    "Telugu": "నే|ను| |ఉ|ద|యం| |పా|లు| |తా|గు|తా|ను|.",
    "Hindi": "मैं| |सु|ब|ह| |क्ष|त्रि|य| |का| |दू|ध| |पी|ता| |हूँ|।",
    "Thai": "ฉั|น|ดื่|ม|น้ำ| |ต|อ|น|เ|ช้|า",
    "Khmer": "ខ្ញុំ|ផឹ|ក|ទឹ|ក|។",
    "Persian": "م|ن| |ش|ی|ر| |م|ی‌|ن|و|ش|م|.",
    "Hangul letters": "\u1112\u1161\u11ab|\u1100\u1173\u11af| |\u110b\u1161",
    "Russian": "У\u0301|т|р|о|м| |я| |п|ь|ю| |м|о|л|о|к|о|.",
    "emoji": f"👩‍👩‍👧| |c|a|m|e| |🏳️‍🌈| |👍🏽|👍🏽| |🇩🇪|🇫🇷| |1️⃣|2️⃣| |#️⃣| |🏴{ENGLAND}",
}


def text(name: str) -> str:
    return SENTENCES[name].replace("|", "")


def words(name: str) -> list[str]:
    return [part.strip() for part in SENTENCES[name].split("|")]


def characters(name: str) -> list[str]:
    return CHARACTERS[name].split("|")
