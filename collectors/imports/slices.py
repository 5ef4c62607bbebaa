"""How many slices a MIG instance takes, by the device's model and its profile: a table with a version.

After NVIDIA's MIG user guide, but for `1g.10gb` of the A100-40GB: it takes 10 of 40 GB, two slices of memory.
A model or a profile that is not here is an error that is shown, never a guess.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from collectors.imports.rows import refuse

__all__ = ["DEVICES", "VERSION", "Device", "Slices", "profile_name", "slices_of"]

VERSION = 1

_MEND = "map compute_slices and memory_slices, which the device says"


class Slices(NamedTuple):
    """Compute and memory slices."""

    compute: int
    memory: int


@dataclass(frozen=True)
class Device:
    """A model with its memory in GB, the slices of the whole device, and those of each profile."""

    model: str
    memory_gb: int
    whole: Slices
    profiles: dict[str, Slices]

    def may_be(self, words: list[str]) -> bool:
        """Whether words of a model's name name this model, and no other size of memory."""
        sizes = {word for word in words if re.fullmatch("[0-9]+GB", word)}
        return self.model in words and sizes <= {f"{self.memory_gb}GB"}


def _seven(model: str, memory_gb: int, *memories: int) -> Device:
    """A device of 7 and 8 slices; `memories` are 1, 2, 4 and 8 eighths of its memory as its profiles say."""
    one, two, four, eight = memories
    shapes = {
        f"1g.{one}gb": Slices(1, 1),
        f"1g.{one}gb+me": Slices(1, 1),
        f"1g.{two}gb": Slices(1, 2),
        f"2g.{two}gb": Slices(2, 2),
        f"3g.{four}gb": Slices(3, 4),
        f"4g.{four}gb": Slices(4, 4),
        f"7g.{eight}gb": Slices(7, 8),
    }
    return Device(model, memory_gb, Slices(7, 8), shapes)


DEVICES: tuple[Device, ...] = (
    _seven("A100", 40, 5, 10, 20, 40),
    _seven("A100", 80, 10, 20, 40, 80),
    _seven("H100", 80, 10, 20, 40, 80),
    _seven("H200", 141, 18, 35, 71, 141),
    Device(
        "A30",
        24,
        Slices(4, 4),
        {
            "1g.6gb": Slices(1, 1),
            "1g.6gb+me": Slices(1, 1),
            "2g.12gb": Slices(2, 2),
            "2g.12gb+me": Slices(2, 2),
            "4g.24gb": Slices(4, 4),
        },
    ),
)


def profile_name(text: str) -> str:
    """A profile in one spelling, whoever wrote it: nvidia-smi, the device plugin or a label.

    >>> profile_name("MIG 1g.10gb+me"), profile_name("nvidia.com/mig-1g.10gb.me")
    ('1g.10gb+me', '1g.10gb+me')
    """
    plain = re.sub(r"^(?:nvidia\.com/)?mig[ -]", "", text, flags=re.IGNORECASE)
    return re.sub(r"^([0-9]+g\.[0-9]+gb)\.me$", r"\1+me", plain, flags=re.IGNORECASE)


def slices_of(model: str, profile: str) -> Slices:
    """The slices of an instance; refuses the row where the table does not tell them.

    A name without its memory (`A100`) will do where all devices of that name give a profile the same slices.
    """
    if not model:
        refuse("model is empty", _MEND)
    words = re.findall("[A-Z0-9]+", re.sub("-(?:MIG-.*|SHARED)$", "", model.upper()))
    devices = [device for device in DEVICES if device.may_be(words)]
    if not devices:
        refuse("the model is not in the table of slices", f"{model}: {_MEND}")
    found = {device.profiles[small] for device in devices if (small := profile.lower()) in device.profiles}
    if len(found) > 1:
        sizes = " or ".join(f"{device.memory_gb}" for device in devices)
        refuse("the profile has other slices by the model's memory", f"{profile} of {model}: of {sizes} GB?")
    if not found:
        refuse("the model has no such profile in the table of slices", f"{profile} of {model}: {_MEND}")
    return found.pop()
