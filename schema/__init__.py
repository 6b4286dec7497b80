"""The contract: every GraphQL type, each a view of one record."""
