from pages.ui import former

former.lead("size")
