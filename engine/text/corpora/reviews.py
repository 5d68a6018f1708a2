"""Short reviews of films, meals, books, hotels and things, half of them positive and half negative.

What      one review a line, its label in front and a tab between them; positive and negative take
          turns
Source    written for this project; negations ("not bad at all", "never boring") are meant to be
          here, irony is not
Differs   Small on purpose: a bag of words learns from them at once, and every count can be checked
          by eye.
"""

from __future__ import annotations

from dataclasses import dataclass

POSITIVE = """\
A wonderful film with great acting and a warm, funny story.
The plot is clever and the ending is a lovely surprise.
I laughed from start to finish and loved every minute.
Great music, beautiful pictures and a story that moves you.
The best film I have seen this year.
Not a single boring scene, and the actors are superb.
It was not bad at all, I really enjoyed it.
A charming little film that made the whole family smile.
The acting is excellent and the dialogue sparkles.
I did not expect much, but this film won me over.
Exciting until the last scene, with a perfect ending.
A moving story, beautifully told and never too long.
Funny, fresh and full of heart.
You will not be disappointed, go and see it.
The young actress is brilliant and carries the whole film.
A thriller without a dull moment.
I have seen it three times and still love it.
Simple, honest and very well played.
The jokes are great and the story has real heart.
What a delightful evening, we talked about it for days.
The pictures are stunning and the music fits perfectly.
I could not stop laughing, what a great comedy.
A strong plot, strong actors and an ending to remember.
It is hard to find a better film for children.
The film is long but never boring.
An inspiring true story with wonderful actors.
I was never bored, the time simply flew by.
Clever, tense and very well made.
The hero is easy to love and the villain is brilliant.
A fine script and a director who trusts his actors.
This film is a joy, see it with a friend.
Nothing is wrong with this film, it is a small masterpiece.
Warm, wise and beautifully acted.
The best comedy in years, I cried with laughter.
Great fun for young and old.
A gripping story that stays with you for a long time.
The second part is even better than the first.
I liked the quiet scenes best, they are full of feeling.
Superb acting, not one false note.
The story is simple, but it is told with great love.
A gem, I will gladly watch it again.
Rarely have I seen such a good film about friendship.
The ending made me cry, and I am glad it did.
Good film, good actors, good music.
My children loved it and so did I.
This book is a pleasure from the first page to the last.
I could not put it down and finished it in one night.
The characters feel real and the story is exciting.
A beautiful book about hope, I recommend it to everyone.
The author writes clearly and with great humour.
A fascinating book, I learned a lot and was never lost.
The best crime story I have read in years.
Well written, well researched and a joy to read.
I did not want this lovely book to end.
The plot is full of surprises and the ending is perfect.
Funny and sad at once, a wonderful read.
The poems are gentle and beautiful.
Every chapter is better than the last.
An excellent guide, clear and easy to follow.
My daughter loves the pictures and asks for it every night.
It is not a long book, but it is a great one.
I rarely read twice, this one I will read again.
A brilliant idea, brilliantly told.
The language is rich and the heroine is unforgettable.
An honest and touching story about a brave woman.
Recommended without any doubt.
The food was delicious and the service was friendly.
Fresh fish, good wine and a lovely view of the sea.
The waiter was kind and the soup was excellent.
We had a great evening, the pasta was perfect.
The best pizza in town, crisp and full of taste.
The portions are generous and the prices are fair.
Nothing was too salty, everything tasted fresh.
Friendly staff, a warm room and wonderful bread.
I had no complaints at all, we will come back.
The dessert alone is worth the visit.
Quick service and really tasty food.
A cosy place with excellent coffee and homemade cake.
We never waited long and the food was always hot.
The cook knows what he is doing, every plate was superb.
A lovely breakfast with fresh fruit and good tea.
The vegetables were crisp and the sauce was delicious.
Not cheap, but worth every cent.
The menu is small and everything on it is good.
My favourite restaurant, I am never disappointed.
The chicken was tender and the salad was fresh.
Kind people, great food and a beautiful garden.
We did not have to wait and the meal was wonderful.
The curry was rich, spicy and simply perfect.
I recommend the soup, it is the best I have tasted.
The hotel was clean, quiet and very comfortable.
A beautiful room with a great view of the mountains.
The staff were helpful and always friendly.
The bed was soft and I slept very well.
Breakfast was excellent and the coffee was hot.
The room was bright, clean and larger than we expected.
Perfect place, close to the beach and not noisy at all.
We loved the pool and the friendly people.
No problems at all, a pleasant and quiet stay.
Good value, we would gladly stay here again.
The owner gave us great advice for our trip.
A lovely little hotel with a warm welcome.
Everything worked and nothing was missing.
The best hotel of our whole trip.
A peaceful garden, a clean bath and a wonderful breakfast.
It was never loud at night, we slept like children.
This phone is fast, light and easy to use.
The battery lasts long and the screen is bright.
It works perfectly and was not expensive.
Great sound and very comfortable to wear.
Easy to set up, it worked at once.
The shoes fit perfectly and look beautiful.
I use this lamp every day and I love it.
Solid, well made and worth the money.
It has not broken once in five years.
The camera takes sharp, beautiful pictures.
The bag is strong, light and pretty.
Fast delivery, good quality, happy customer.
I have had no trouble with it, a reliable machine.
The knife is sharp and feels good in the hand.
A great gift, my mother was delighted.
The bike is comfortable and rides smoothly.
The best purchase I have made this year.
It never fails, I recommend it to all my friends.
The chair is comfortable and looks great.
Quiet, quick and simple, a really good machine.
The jacket is warm and keeps the rain out.
The keyboard is a pleasure to type on.
"""

NEGATIVE = """\
A terrible script, terrible jokes and a terrible waste of time.
Dull, slow and far too long, I wanted my money back.
We walked out after an hour because it was so boring.
Bad acting, bad dialogue and a stupid ending.
The worst thing about it is the weak plot.
I was disappointed, nothing made sense.
Such a boring hero, I did not care what happened to him.
It was not good, it was not even funny.
Two hours of noise and stupid fights.
Poor effects and poor acting, a complete waste.
I hated the ending and I hated the rest.
Awful, simply awful.
A predictable, tired plot without a single idea.
Don't waste your time with this boring mess.
The director clearly had no idea what to do with the actors.
Not funny, not exciting, not worth a ticket.
The dialogue is so bad that people in the cinema groaned.
I fell asleep and did not miss anything.
It drags on and on, dull as ditch water.
This sequel is bad in every way.
Too loud, too long and too stupid.
Nobody in this film can act.
A weak script that wastes a good cast.
My husband hated it, I only found it boring.
The camera shakes so much that I felt sick.
An annoying child ruins every scene.
I never laughed and never cried, I only yawned.
The trailer promised a lot, the result is disappointing.
There is no plot at all, just explosions.
Horrible sound, we did not understand half of it.
A disappointing and pointless remake.
They should give the money back to everyone who saw this.
Unfunny, unpleasant and much too long.
The villain is a bad joke.
No tension, no surprise, no point.
The middle part is a boring mess.
What a waste of talented people.
I expected more and was badly disappointed.
The worst two hours of my life.
It tries to be scary and is only silly.
Terrible, do not go.
The costumes look cheap and so does everything else.
A cold and empty film that left me angry.
Another boring thriller with a stupid twist.
I regret that I paid for this.
The author repeats himself, and by page ten I was bored.
Dull characters, a weak plot and far too many pages.
I gave up halfway because nothing happened.
Poor translation, full of mistakes.
A boring book that is badly in need of an editor.
The explanations are confusing and the examples are wrong.
The worst novel I was ever made to finish.
I was disappointed, the first book had been so different.
Its hero is annoying and the dialogue is stupid.
Pages fell out after a week, poor binding.
Pointless, confusing and depressing.
Waste of paper, waste of money.
The advice in it is useless or wrong.
I wanted to like it, but the style is terrible.
It ends in the middle of nowhere, very disappointing.
There are too many names and not one interesting person.
The maps are wrong and the index is missing.
So boring that I used it to fall asleep.
Badly researched and badly told.
Not one of us finished this awful thing.
The service was slow and the waiter was rude.
My soup was cold and my steak was burnt.
Terrible food, rude staff, never again.
We waited an hour for cold chips.
Dirty glasses, dirty plates, dirty floor.
The fish smelled bad and I was sick all night.
Overpriced and tasteless, a disappointing dinner.
They forgot our order twice and did not say sorry.
Too salty, too greasy and much too expensive.
The worst coffee I ever had, cold and bitter.
Stale bread and a horrible sauce.
The meat was tough, the rice was burnt and nobody cared.
A dirty table, a rude answer and a wrong bill.
I complained about the cold food and they only laughed.
Awful noise, awful smell, awful pizza.
The pasta was overcooked and the sauce came out of a tin.
I found a hair in my salad, disgusting.
Never again, the waiter was rude to my mother.
The kitchen was slow and the beer was warm.
Poor service, tiny portions and a big bill.
Nothing on the plate had any taste.
They were rude because we asked for water.
Bland, cold and expensive.
The cake was dry and the tea was weak.
It was not cheap, it was not fresh and it was not good.
Don't eat here, half of us were sick the next day.
The bill was wrong and the manager was rude.
Our room was dirty and smelled of smoke.
The shower was broken and the water was cold.
Loud music all night, we could not sleep.
There was mould in the bathroom, disgusting.
The heating was broken and nobody came to repair it.
Rude reception, dirty towels, terrible mattress.
An awful night in a tiny, dirty room.
We paid too much for a dark hole next to a noisy road.
The pictures on the website lie, this place is horrible.
The lift was broken and our room was on the sixth floor.
Bugs in the bed, I was disgusted.
They lost our booking and were rude about it.
The air was stale and the window was broken.
A disappointing holiday because of a terrible hotel.
Noisy, dirty and overpriced.
The worst night of the holiday, the walls are like paper.
I asked for a quiet room and got the worst one.
Nobody cleaned in four days.
The pool was closed, dirty and green.
We left a day early and did not get our money back.
It broke after a week, poor quality.
The screen was broken when it arrived.
A waste of money, it stopped after two days.
Cheap plastic that breaks at once.
The battery is terrible, it is empty after an hour.
Slow, loud and already broken.
It never worked and nobody answers my letters.
They sent the wrong size and refused to pay me back.
Poor instructions, missing screws, wasted afternoon.
The zip broke on the first day.
The sound is horrible and the cable is too short.
I am disappointed, it does not do what they promised.
It smells bad and the colour is wrong.
Useless, I sent it back.
The worst printer I have owned, slow and always broken.
Don't buy this, it is dangerous and badly made.
"""


@dataclass(frozen=True)
class Reviews:
    id: str = "reviews"
    title: str = "Short reviews"
    says: str = (
        "Reviews of films, meals, books, hotels and things in one sentence each, half of them"
        " positive and half negative."
    )
    licence: str = "MIT, written for this project"

    def labelled(self) -> list[tuple[str, str]]:
        """(label, review), positive and negative in turn."""
        pairs = zip(POSITIVE.splitlines(), NEGATIVE.splitlines(), strict=True)
        return [one for good, bad in pairs for one in (("positive", good), ("negative", bad))]

    def text(self) -> str:
        """One review a line: its label, a tab, the review."""
        return "".join(f"{label}\t{review}\n" for label, review in self.labelled())


CORPUS = Reviews()
