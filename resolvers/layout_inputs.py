"""A MIG layout as callers write it."""

import strawberry

from gateway.fleet.desired import CardLayout, MigLayout, ProfileCount


@strawberry.input
class ProfileCountInput:
    """So many slices of one profile."""

    profile: str = strawberry.field(description="As nvidia-smi writes it: 1g.10gb, 1g.10gb+me.")
    count: int


@strawberry.input
class CardLayoutInput:
    """How some cards are cut; no profiles: left whole."""

    devices: list[int] | None = strawberry.field(default=None, description="Card indexes; absent: all cards.")
    profiles: list[ProfileCountInput]

    @property
    def layout(self) -> CardLayout:
        """The same as a record."""
        return CardLayout(
            devices=None if self.devices is None else tuple(self.devices),
            profiles=tuple(ProfileCount(profile=one.profile, count=one.count) for one in self.profiles),
        )


@strawberry.input(one_of=True)
class MigLayoutInput:
    """A named configuration of the MIG manager, or a layout card by card. Exactly one."""

    config: str | None = strawberry.UNSET
    cards: list[CardLayoutInput] | None = strawberry.UNSET

    @property
    def layout(self) -> MigLayout:
        """The same as a record."""
        if self.config is not strawberry.UNSET:
            return MigLayout(config=self.config)
        return MigLayout(cards=tuple(one.layout for one in self.cards or ()))
