"""What the page on sparse attention draws with Streamlit."""
