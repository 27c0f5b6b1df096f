"""What the commands are told: files, models, their parameters, and how to split rows."""
