"""Small clusters in which one thing is wrong, and what is to be found of it."""
