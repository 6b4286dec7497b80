"""The platform's records in Postgres: kept fresh, imported from a file, and the tables themselves."""
