"""What the demo says once it answers: where, and what is worth trying."""

from collections.abc import Iterable

from gateway.cli.stage import Stage


def welcome(stage: Stage, url: str) -> str:
    """Where it answers, queries to begin with and, where something can come of it, a change of a machine."""
    servers = "".join(f"  Kubernetes {one.url}  ({one.name})\n" for one in stage.settings.clusters)
    said = _WELCOME.format(url=url, dsn=stage.dsn, servers=servers, asked=_numbered(QUERIES))
    return said + (_CHANGE.format(asked=_numbered(CHANGE)) if stage.is_alive else "") + _END


def _numbered(asked: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"{i}. {why}\n   {query}\n" for i, (why, query) in enumerate(asked, 1))


QUERIES = (
    (
        "Where do systems disagree, who says what, and what is to be done?",
        """{ alerts { nodes { severity message claim { system value } evidence { system value }
       remedies { text } } } }""",
    ),
    (
        "Which systems answer, and what could not be read of them?",
        "{ sources { name state lastSuccessAt skipped { subject problem } } }",
    ),
    (
        "What has each machine, and how do we know?",
        "{ clusters { nodes { nodes { name ready gpus { product cards cardsBasis } } } } }",
    ),
    (
        "Where does capacity lie? What is there, what can be used and what was promised are three numbers.",
        """{ clusters { capacity { gpuType { name } target physical healthy allocated available deficit
       unknowns { field reason } } } }""",
    ),
    (
        "What waits, and what was said of it? No pod of the Job ablation was ever made.",
        """{ cluster(name: "fleet") { pendingReasons { nodes {
       podName controller code message firstSeen count } } } }""",
    ),
    (
        "Why does it wait, and what would have to change?",
        """{ pod(cluster: "fleet", namespace: "robotics-perception", name: "depth-4g") {
       diagnosis { verdict remedies { text } steps { check outcome finding } } } }""",
    ),
)
CHANGE = (
    (
        "Who would lose their GPUs?",
        """{ impact(of: {setMigLayout: {node: {cluster: "fleet", name: "gpu-a100-08"},
       layout: {config: "all-1g.10gb"}}}) { message workloads { id name } } }""",
    ),
    (
        "Try it: this writes nothing, and says that their ids are to be named.",
        """mutation { setMigLayout(input: {node: {cluster: "fleet", name: "gpu-a100-08"},
       layout: {config: "all-1g.10gb"}, acknowledgedWorkloads: [], dryRun: true}) {
       changes { field before after } problem { code message } } }""",
    ),
    (
        "Name them, with dryRun: false. Then watch: it takes about a minute.",
        """{ node(cluster: "fleet", name: "gpu-a100-08") { cordoned migSlices { profile { name } slices }
       observed { phase message blockers { cause name } } } }""",
    ),
    (
        "Keep new work off a machine, and let it come again.",
        """mutation { setCordon(input: {node: {cluster: "fleet", name: "gpu-h100-01"}, cordoned: true,
       reason: "a fan is loud", dryRun: true}) { changes { field before after } problem { message } } }""",
    ),
)
_WELCOME = """
  GraphiQL   {url}/
  GraphQL    {url}/graphql
  Postgres   {dsn}
{servers}
Six queries worth asking:

{asked}"""
_CHANGE = """
The controllers run too. Have them cut the two cards of gpu-a100-08 anew, as docs/mig.md does:

{asked}"""
_END = """
Ctrl-C stops it.
"""
