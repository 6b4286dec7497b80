"""The platform's records in Postgres: kept fresh, changed, imported, and the tables themselves."""
