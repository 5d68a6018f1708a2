"""Sentences by which heads and layers are weighed: plain English, written for this project."""

from __future__ import annotations

SENTENCES = (
    "The train left the station a few minutes late, and nobody on the platform seemed to mind.",
    "She opened the letter, read it twice, and put it back into the drawer without a word.",
    "In the north of the country the winters are long, and most of the villages lie near a river.",
    '"You should have told me before," he said, "but I suppose that it is too late now."',
    "The old man had lived in the same house for forty years and knew every stone of the garden.",
    "When the war was over, many of the soldiers went back to their farms and never spoke of it.",
    "He took off his hat, wiped his forehead, and looked for a long time at the sea.",
    "The city has a university, two theatres and a museum, which was built at the end of the century.",
    "They walked down the road together until it was dark and the first lights were lit.",
    "It was not that she did not like him; she had simply never thought about it.",
    "A good teacher does not only explain things, but also asks what the others have understood.",
    "The captain gave the order to turn back, for the wind was rising and the boat was small.",
)
