"""What happens next: the rest of a league or a cup, played many times with skills drawn from a fit."""
