from engine.stages.scores import panels
from pages.ui import page

page.show("scores", panels.stage)
