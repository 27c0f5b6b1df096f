"""The errors of the skills: second derivatives, their inverse, and approximations for many items."""
