"""GraphQL over HTTP: parameters, limits, media types, status codes, and the pages beside it."""
