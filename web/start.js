// Starts GraphiQL on this gateway's own endpoint.
"use strict";

const firstQuery = `# Ask for what you need; Ctrl-Enter runs the query, Ctrl-Space completes a word.
# Null is never 0: \`unknowns\` and \`errors\` say why a value is not known.
{
  clusters {
    name
    nodes(first: 10) {
      totalCount
      edges {
        node {
          name
          ready
          gpus {
            cards
            cardsBasis
          }
        }
      }
    }
  }
  sources {
    name
    state
    lastSuccessAt
  }
}
`;

async function ask(parameters, options) {
  const response = await fetch("/graphql", {
    method: "POST",
    headers: {
      ...options?.headers,
      "Content-Type": "application/json",
      Accept: "application/graphql-response+json, application/json;q=0.9",
    },
    body: JSON.stringify(parameters),
  });
  return response.json();
}

ReactDOM.createRoot(document.getElementById("graphiql")).render(
  React.createElement(GraphiQL, { fetcher: ask, defaultQuery: firstQuery }),
);
