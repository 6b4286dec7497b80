"""Which machines the layouts of a file are for: a file knows names, and a layout is for one machine."""

from collections.abc import Iterable
from dataclasses import replace

from gateway.access import cluster_access
from gateway.cli.terminal import tell
from gateway.errors import NotFound, SourceError
from gateway.fleet.change import SetMigLayout
from gateway.settings import ClusterSettings
from gateway.sources.kubernetes.api import Api
from gateway.sources.kubernetes.hands import KubernetesHands
from gateway.sources.postgres.file_wishes import NodeWish
from gateway.sources.postgres.platform_file import PlatformFile


async def on_machines(file: PlatformFile, clusters: Iterable[ClusterSettings]) -> PlatformFile:
    """The same file with the machine of each layout; where none is found the layout is left out, aloud."""
    known = {cluster.name: cluster for cluster in clusters}
    found = [await _on_machine(wish, known.get(wish.cluster)) for wish in file.wishes]
    return replace(file, wishes=tuple(wish for wish in found if wish))


async def _on_machine(wish: NodeWish, cluster: ClusterSettings | None) -> NodeWish | None:
    if not isinstance(wish, SetMigLayout):
        return wish
    try:
        return replace(wish, node_uid=await _uid(wish, cluster))
    except (NotFound, SourceError) as why:
        tell(f"node {wish.cluster}/{wish.node}: its layout is left out, which is for one machine: {why}")
        return None


async def _uid(wish: SetMigLayout, cluster: ClusterSettings | None) -> str:
    if cluster is None:
        raise NotFound(f"cluster {wish.cluster} is not in the settings")
    api = Api(cluster_access(cluster))
    try:
        node = await KubernetesHands(api).node(wish.node)
    finally:
        await api.close()
    if node is None:
        raise NotFound(f"cluster {wish.cluster} has no such node; import again once it is there")
    return node.uid
