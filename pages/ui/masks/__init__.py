"""What the page on masks draws with Streamlit."""
