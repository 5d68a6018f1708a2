"""What the lessons on word vectors share."""
