"""The words of the domain: records and the arithmetic on them. No I/O, no GraphQL."""
