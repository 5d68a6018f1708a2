"""What the page on one recurrent unit draws with Streamlit."""
