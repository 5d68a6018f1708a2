from pages.ui import page

page.show_lesson("optimisers", label="Other choices")
