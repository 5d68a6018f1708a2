from pages.ui import page

page.show("optimisers", choice="Other choices")
