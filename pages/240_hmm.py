from engine.stages.hmm import panels
from pages.ui import page

page.show("hmm", panels.stage)
