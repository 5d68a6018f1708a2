from pages.ui import onward

onward.lead_on("size")
