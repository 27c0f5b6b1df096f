"""The pages: what judges, onlookers and the owner see, and what guards them."""
