"""Finding the passages of a team's documents that answer a question, or finding that none does."""
