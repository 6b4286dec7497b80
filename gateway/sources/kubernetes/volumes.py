"""Reads those volumes of a pod on which it depends where it may run."""

from collections.abc import Iterator

import msgspec

from gateway.fleet.constraints import Volume


class _Claim(msgspec.Struct):
    name: str = msgspec.field(name="claimName", default="")


class _Volume(msgspec.Struct, rename="camel"):
    """Of the kinds that a scheduler looks at (1.36); Raw is empty where there is none."""

    name: str = ""
    persistent_volume_claim: _Claim | None = None
    ephemeral: msgspec.Raw = msgspec.Raw()
    aws_elastic_block_store: msgspec.Raw = msgspec.Raw()
    azure_disk: msgspec.Raw = msgspec.Raw()
    cinder: msgspec.Raw = msgspec.Raw()
    gce_persistent_disk: msgspec.Raw = msgspec.Raw()
    iscsi: msgspec.Raw = msgspec.Raw()
    portworx_volume: msgspec.Raw = msgspec.Raw()
    rbd: msgspec.Raw = msgspec.Raw()
    vsphere_volume: msgspec.Raw = msgspec.Raw()

    @property
    def is_disk(self) -> bool:
        """Whether it is a disk without a claim."""
        return any(
            (
                self.aws_elastic_block_store,
                self.azure_disk,
                self.cinder,
                self.gce_persistent_disk,
                self.iscsi,
                self.portworx_volume,
                self.rbd,
                self.vsphere_volume,
            )
        )


_VOLUMES = msgspec.json.Decoder(list[_Volume] | None)


def read_volumes(raw: msgspec.Raw, pod: str) -> Iterator[Volume]:
    """Read the volumes of a pod; the claim of an ephemeral one is named after both."""
    for volume in _VOLUMES.decode(raw) or ():
        if volume.persistent_volume_claim is not None:
            yield Volume(claim=volume.persistent_volume_claim.name)
        elif volume.ephemeral:
            yield Volume(claim=f"{pod}-{volume.name}", ephemeral=True)
        elif volume.is_disk:
            yield Volume(claim=None)
