"""How far the skills are from the truth: second derivatives, their inverse, and what stands in for it."""
