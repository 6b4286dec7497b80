"""The way from the cards of a machine to the scheduler, a module for each link."""
