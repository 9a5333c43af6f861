"""Recipes: the list, and a page a recipe with its text, its versions, and what differs between them."""
