"""What the lessons on preparing and cutting text share."""
