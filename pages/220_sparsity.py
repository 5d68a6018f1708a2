"""What counting costs; what was chosen on the pages on counting that have no room yet comes along."""

from pages.ui import page
from pages.ui.counting import study

with study.carried("sparsity"):
    page.show("sparsity")
