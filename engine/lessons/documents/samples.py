"""Samples: texts that stand in the boxes at first, written for this lesson."""

TEXTS = {
    "question": "Where did the captain find the old lamp?",
    "passage": """\
The village of Tarn lies on the north coast, where the river meets the sea. Its harbour was built three hundred \
years ago, and for most of that time the people lived on fish. In the summer the boats left before the sun came up, \
and in the winter the men mended the nets by the fire. The church stands on a hill behind the houses. Its bell was \
made in the town of Holm, and it is rung when the fog comes in.
In those days the widow Marsh kept a small shop at the end of the street. She sold bread, rope and candles, and she \
knew everybody. Her son Peter went to sea when he was twelve. He wrote a long letter from every harbour, and she \
read each of them aloud to her neighbours.
One autumn a ship from the south ran on the rocks below the church. The captain and four of his men came to the \
shore in a small boat. They stayed in the village for the winter. The captain had lost all his papers, and he told \
the children stories about the islands in the warm sea. On a Sunday in March the captain found the old lamp in the \
tower of the church. It was made of brass, and nobody knew who had left it there. He cleaned it and gave it to the \
widow.
The widow put the lamp in the window of her shop. From that night on the boats could see a light at the end of the \
street. The fishermen said that it had saved more men than the bell. When the captain went home in the spring, the \
widow would not take his money. Years later the village built a tower of stone on the rocks, and a larger lamp \
burned there. The old one still stands in the shop, and every child in Tarn knows its story.""",
    "article": """\
Bees are insects that live on flowers. There are about twenty thousand kinds of bees, and they live on every \
continent but Antarctica. Most kinds of bees live alone, but honey bees live in a colony with one queen. The queen \
lays all the eggs of the colony. The other females of the colony are workers. The workers build the comb of wax, \
feed the young bees and look for flowers. The males are called drones, and they do no work.
A bee that has found flowers tells the other workers where the flowers are. It does so by a dance in the dark hive. \
The direction of the dance says where the flowers lie, and its length says how far away they are.
Bees carry pollen from flower to flower. Many plants need bees for this, and without bees they would have no fruit. \
Farmers bring colonies of honey bees to their fields when the fruit trees have flowers. In many countries there are \
fewer bees than there were. Poison, illness and the loss of flowers are said to be the reasons. People can help bees \
when they plant flowers and use less poison.
People have taken honey from bees for thousands of years. The workers make honey from the nectar of flowers, and the \
colony eats the honey in the winter. Wax from the comb is used for candles.""",
    "dialogue": """\
“My name is Ann,” said the girl.
“Good morning,” said the old man. “What do you want?”
“I want to see the captain of the ship.”
“He is not here. He went into the town this morning.”
“When will he come back?”
“I do not know. He has much to do, and he never tells me.”
“Then I will wait for him here.”
“You may sit down by the fire. It is a cold day.”
“Thank you. It is very cold.”
“He may not come back before the night.”
“I can wait. I have nothing else to do.”
“And what is your name?”
“My name is""",
    "review": """\
The first half hour of this film is a mess . We meet a detective who drinks , a wife who has left him , and a boss \
who shouts . None of it is new , and the jokes fall flat . The camera shakes , the music is too loud , and one of \
the worst chases of the year goes on for ten minutes .
Then something happens that i did not expect . The detective comes to a small town by the sea , and the film slows \
down . Two old people run a hotel there , and the scenes with them are wonderful . The story takes its time , the \
dialogue is sharp and honest , and every face tells you something . The director trusts the actors , and they are \
excellent , all of them .
The end is perfect . It is moving without being cheap , and it gives the first part a meaning that i had not seen . \
Go and see it , and be patient : this is a great film about growing old , and one of the best of the year .""",
}
QUESTION, PASSAGE, ARTICLE, DIALOGUE, REVIEW = TEXTS.values()
