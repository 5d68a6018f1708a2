"""What is computed about models and texts: one question, one file or folder."""
