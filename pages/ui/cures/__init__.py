"""What the page on cures for gradients draws with Streamlit."""
