from pages.ui import page

page.show("optimisers", label="Other choices")
