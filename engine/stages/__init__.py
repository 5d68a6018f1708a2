"""The live parts of lessons, by lesson id: what a page reads with each key, which panels draw it, and the sums
and words that only this lesson needs.  They know the engine and no Streamlit; what a page draws with
Streamlit is in pages/ui, under the same id.
"""
