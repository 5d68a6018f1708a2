from pages.ui import former

former.lead_on("maps")
