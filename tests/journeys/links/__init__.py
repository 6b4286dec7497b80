"""A machine that works, what breaks between its cards and the scheduler, and where the chain shows it."""
