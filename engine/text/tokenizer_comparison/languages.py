"""Languages: one everyday sentence, written for this project in nineteen languages, to see what
each costs.

What      cost = tokens of the sentence / tokens of the same sentence in English
Source    the question: Petrov et al., Language Model Tokenizers Introduce Unfairness Between
          Languages, 2023
Shapes    -
Differs   One sentence a language: enough to see a ratio of 2 or 10, not one of 1.1.
"""

from __future__ import annotations

ENGLISH = "English"
SENTENCES = {
    ENGLISH: "In the morning I drink a cup of coffee and read the newspaper.",
    "German": "Am Morgen trinke ich eine Tasse Kaffee und lese die Zeitung.",
    "French": "Le matin, je bois une tasse de café et je lis le journal.",
    "Spanish": "Por la mañana tomo una taza de café y leo el periódico.",
    "Italian": "La mattina bevo una tazza di caffè e leggo il giornale.",
    "Polish": "Rano piję filiżankę kawy i czytam gazetę.",
    "Finnish": "Aamulla juon kupin kahvia ja luen sanomalehteä.",
    "Turkish": "Sabahları bir fincan kahve içer ve gazete okurum.",
    "Swahili": "Asubuhi ninakunywa kikombe cha kahawa na kusoma gazeti.",
    "Vietnamese": "Buổi sáng tôi uống một tách cà phê và đọc báo.",
    "Greek": "Το πρωί πίνω ένα φλιτζάνι καφέ και διαβάζω την εφημερίδα.",
    "Russian": "Утром я пью чашку кофе и читаю газету.",
    "Hebrew": "בבוקר אני שותה כוס קפה וקורא עיתון.",
    "Arabic": "في الصباح أشرب فنجانًا من القهوة وأقرأ الجريدة.",
    "Hindi": "सुबह मैं एक कप कॉफ़ी पीता हूँ और अख़बार पढ़ता हूँ।",
    "Chinese": "早上我喝一杯咖啡，看报纸。",
    "Japanese": "朝、私はコーヒーを一杯飲んで新聞を読みます。",
    "Korean": "아침에 저는 커피 한 잔을 마시고 신문을 읽습니다.",
    "Thai": "ตอนเช้าฉันดื่มกาแฟหนึ่งถ้วยและอ่านหนังสือพิมพ์",
}
WITHOUT_BLANKS = ("Chinese", "Japanese", "Thai")
"""These are written without a blank between words: tokens per word says nothing of them."""

IN_BOTH = (
    "eng",
    "deu",
    "fra",
    "spa",
    "ita",
    "pol",
    "fin",
    "tur",
    "swh",
    "vie",
    "ell_monotonic",
    "rus",
    "heb",
    "arb",
    "hin",
    "cmn_hans",
    "jpn",
    "kor",
    "tha",
)
"""The same languages in the Universal Declaration of Human Rights, by their files."""
