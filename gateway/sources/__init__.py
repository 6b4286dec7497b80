"""The only code that talks to other systems: each turns what its system says into records."""
