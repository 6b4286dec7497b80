"""The demo fleet: its hardware, its records, its work, and the lies that real fleets tell."""
