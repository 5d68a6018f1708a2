"""Pictures and words: how does a net for sequences read what is no text?"""

from __future__ import annotations

from engine.course.base import Lesson, Step

LESSON = Lesson(
    id="pictures",
    era="Attention",
    title="Pictures and words",
    question="How does a net for sequences read a picture, a film, and a picture with its caption?",
    model="",
    example="",
    tries=(),
    sources=(
        "Dosovitskiy et al., An Image is Worth 16x16 Words: Transformers for Image Recognition at Scale, 2021",
        "Donahue et al., Long-term Recurrent Convolutional Networks for Visual Recognition and Description, 2015",
        "Radford et al., Learning Transferable Visual Models From Natural Language Supervision, 2021 (CLIP)",
        "Yuksekgonul et al., When and Why Vision-Language Models Behave Like Bags-of-Words, 2023",
        "Johnson et al., CLEVR, 2017 (made scenes with combinations held out)",
        "Ramesh et al., Zero-Shot Text-to-Image Generation, 2021 (DALL·E)",
        "Alpaydin & Kaynak, Optical Recognition of Handwritten Digits, UCI Machine Learning Repository, 1998",
    ),
    differs="The notes say of CLIP that it writes captions; it scores pairs of a picture and a text, and chooses among"
    " captions that are given.\n"
    "They name the Vision Transformer without a number: 224 pixels in patches of 16 are 196 tokens, and one for the"
    " class.\n"
    "Their listing of a convolution before an LSTM never runs: a name is not defined, and an empty stack hands films to"
    " the LSTM as they are. Theirs is pretrained, this one learns along with the LSTM.\n"
    "They have DALL·E use a language model; that holds for its first version only.\n"
    "Their figures for films, captions and medicine have no source, and none is repeated here.",
    minutes=15,
    before=("convolution", "transformer"),
    live=False,
    minute=(
        Step(
            "432 of 445 held-out digits are read. This 6 is 16 patches and a class token; colour shows where each head"
            " looks.",
            link="pictures.patches.positions=placed",
            panel="part-patches",
        ),
        Step(
            "96 of 445, and this 6 is a 1. Attention sees a set: without positions no patch knows where it was.",
            link="pictures.patches.positions=taken",
            panel="part-patches",
            asks="All patches stay, their positions are taken away. How many of 445 are still read?",
            choices=("432", "328", "96"),
        ),
        Step(
            "A third at most: 32.4 %. After the second frame it is 99.0 %, for the LSTM carries the first one along.",
            link="pictures.part=A digit that moves&pictures.moves.motion=right",
            panel="part-a-digit-that-moves",
            asks="Six motions. How often can one frame tell which it is?",
            choices=("always", "one time in three", "one time in six"),
        ),
        Step(
            "Three times in four: 149 of 200 drawings, among 16 things. What was seen is always found, 1,400 of 1,400.",
            link="pictures.part=What it knows, and what not",
            panel="part-what-it-knows-and-what-not",
            asks="No red triangle was learned from, but red and triangles were. How often is it found?",
            choices=("always", "three times in four", "never"),
        ),
    ),
    topics="""
part-patches | Vision Transformer (ViT): a digit cut into patches | transformers J11
    Draw a digit: its patches as tokens, where every head looks, what is read, and what positions are worth.
    ViT, image patches, patch embedding, class token, CLS, visual attention, image classification
part-what-patches-cost | Patches beside a convolution | transformers J11
    Held-out digits read right, and how many tokens a picture of so many pixels is.
    inductive bias, ViT-Base, 196 patches, 197 tokens
part-a-digit-that-moves | A convolution into an LSTM over a film (CNN-LSTM) | lstm C13 | rnn H9
    A digit that moves, frame by frame: what the state says of its motion, beside the mean of the frames.
    CNN-LSTM, LRCN, video, action recognition, hybrid, moving digits, video classification
part-pictures-and-captions | CLIP: pictures and captions in one space | transformers J9; language_models M22
    Type captions and see which picture each fits; cosines, temperature and the symmetric loss.
    CLIP, contrastive learning, InfoNCE, zero-shot, image-text, temperature, dual encoder, multimodal
part-what-it-knows-and-what-not | What a picture-text net knows: unseen pairs, counts, left and right | transformers J9
    Retrieval both ways, things never seen, counts and the order of words, with intervals.
    compositionality, red triangle, retrieval, R@1, image captioning
part-attention-elsewhere-and-what-is-not-here | Attention in other fields, and text to image | |
    language_models M85 M23; transformers J10 J12
    Pictures, speech, graphs: what looks at what, which pages run it, and what is only named.
    DALL-E, diffusion, text to image, speech, graph attention, medical imaging, multimodal attention
""",
)
