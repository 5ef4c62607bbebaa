"""How many GPUs a node has, and which, by what its SKU is called: AWS, Azure and Google Cloud."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

__all__ = ["Gpus", "gpus_of"]


@dataclass(frozen=True)
class Gpus:
    """The GPUs of a node: `count` may be a part of one; None, and a model of "", is not known by its name."""

    count: Fraction | None
    model: str

    def is_model(self, text: str) -> bool:
        """Whether a list's name of a GPU can be this model: it has its words, or has them run together.

        >>> Gpus(Fraction(1), "RTX PRO 6000").is_model("rtx-pro-server-6000")
        True
        >>> Gpus(Fraction(1), "L4").is_model("l40s")
        False
        """
        words, known = _words(text), _words(self.model)
        return set(known) <= set(words) or "".join(known) in words or "".join(words) == known[0] + known[-1]


def gpus_of(sku: str, provider: str) -> Gpus | None:
    """The GPUs that a SKU of a provider is known to have by its name; None where none is known.

    The provider is written as lists do it: `AWS`, `Microsoft Azure`, `GCP`, `Google Cloud`.

    >>> gpus_of("p5.48xlarge", "AWS")
    Gpus(count=Fraction(8, 1), model='H100')
    """
    for words, (known, some) in _CLOUDS.items():
        if words & set(_words(provider)):
            return known(sku) or (Gpus(None, "") if re.fullmatch(some, sku, re.IGNORECASE) else None)
    return None


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.lower())


_ONE_UP_TO_16 = "xlarge 1, 2xlarge 1, 4xlarge 1, 8xlarge 1, 16xlarge 1, 12xlarge 4, 24xlarge 4, 48xlarge 8"
_PARTS = "large 1/8, xlarge 1/8, 2xlarge 1/4, 4xlarge 1/2"
_TWO_AT_12 = "2xlarge 1, 4xlarge 1, 8xlarge 1, 12xlarge 2, 24xlarge 4, 48xlarge 8"

_AWS: Mapping[str, tuple[str, str]] = {
    "p2": ("K80", "xlarge 1, 8xlarge 8, 16xlarge 16"),
    "p3": ("V100", "2xlarge 1, 8xlarge 4, 16xlarge 8"),
    "p3dn": ("V100", "24xlarge 8"),
    "p4d": ("A100", "24xlarge 8"),
    "p4de": ("A100", "24xlarge 8"),
    "p5": ("H100", "4xlarge 1, 48xlarge 8"),
    "p5e": ("H200", "48xlarge 8"),
    "p5en": ("H200", "48xlarge 8"),
    "p6-b200": ("B200", "48xlarge 8"),
    "p6-b300": ("B300", "48xlarge 8"),
    "p6e-gb200": ("GB200", "36xlarge 4"),
    "g2": ("K520", "2xlarge 1, 8xlarge 4"),
    "g3": ("M60", "4xlarge 1, 8xlarge 2, 16xlarge 4"),
    "g3s": ("M60", "xlarge 1"),
    "g4ad": ("V520", "xlarge 1, 2xlarge 1, 4xlarge 1, 8xlarge 2, 16xlarge 4"),
    "g4dn": ("T4", "xlarge 1, 2xlarge 1, 4xlarge 1, 8xlarge 1, 16xlarge 1, 12xlarge 4, metal 8"),
    "g5": ("A10G", _ONE_UP_TO_16),
    "g5g": ("T4G", "xlarge 1, 2xlarge 1, 4xlarge 1, 8xlarge 1, 16xlarge 2, metal 2"),
    "g6": ("L4", _ONE_UP_TO_16),
    "g6e": ("L40S", _ONE_UP_TO_16),
    "g6f": ("L4", _PARTS),
    "gr6": ("L4", "4xlarge 1, 8xlarge 1"),
    "gr6f": ("L4", "4xlarge 1/2"),
    "g7": ("RTX PRO 4500", _TWO_AT_12),
    "g7e": ("RTX PRO 6000", _TWO_AT_12),
}
"""Family: model, and GPUs by size."""

_AZURE = (
    (r"NC(\d+)r?(?:_Promo)?", "K80", "6 1, 12 2, 24 4"),
    (r"NC(\d+)r?s_v2", "P100", "6 1, 12 2, 24 4"),
    (r"NC(\d+)r?s_v3", "V100", "6 1, 12 2, 24 4"),
    (r"NC(\d+)as_T4_v3", "T4", "4 1, 8 1, 16 1, 64 4"),
    (r"NC(\d+)ads_A10_v4", "A10", "8 1, 16 1, 32 2"),
    (r"NC(\d+)ads_A100_v4", "A100", "24 1, 48 2, 96 4"),
    (r"NCC?(\d+)adi?s_H100_v5", "H100", "40 1, 80 2"),
    (r"NC(\d+)l?ds_xl_RTXPRO6000BSE_v6", "RTX PRO 6000", "144 1, 288 2"),
    (r"ND(\d+)r?s_v2", "V100", "40 8"),
    (r"ND(\d+)am?sr?(?:_A100)?_v4", "A100", "96 8"),
    (r"ND(\d+)isr?f?(?:_flex|_noIB)?_H100_v5", "H100", "96 8"),
    (r"ND(\d+)isr?f?_H200_v5", "H200", "96 8"),
    (r"ND(\d+)isr?f?_MI300X_v5", "MI300X", "96 8"),
    (r"ND(\d+)isrf?_NDR_GB200_v6", "GB200", "128 4"),
    (r"NG(\d+)adm?s_V620(?:_v1)?", "V620", "8 1/4, 16 1/2, 32 1"),
    (r"NV(\d+)(?:s_v2|_Promo)?", "M60", "6 1, 12 2, 24 4"),
    (r"NV(\d+)s_v3", "M60", "12 1, 24 2, 48 4"),
    (r"NV(\d+)as_v4", "MI25", "4 1/8, 8 1/4, 16 1/2, 32 1"),
    (r"NV(\d+)adm?s_A10_v5", "A10", "6 1/6, 12 1/3, 18 1/2, 36 1, 72 2"),
    (r"NV(\d+)adm?s_V710_v5", "V710", "4 1/6, 8 1/3, 12 1/2, 24 1, 28 1"),
)
"""A pattern of the name after `Standard_`, the model, and GPUs by the number of CPUs that is in the name."""

_GOOGLE = (
    (r"a2-(?:highgpu|megagpu)-(\d+)g", "A100", ""),
    (r"a2-ultragpu-(\d+)g", "A100", ""),
    (r"a3-(?:highgpu|megagpu|edgegpu)-(\d+)g", "H100", ""),
    (r"a3-ultragpu-(\d+)g", "H200", ""),
    (r"a4-highgpu-(\d+)g", "B200", ""),
    (r"a4x-highgpu-(\d+)g", "GB200", ""),
    (r"g2-standard-(\d+)", "L4", "4 1, 8 1, 12 1, 16 1, 24 2, 32 1, 48 4, 96 8"),
    (r"g4-standard-(\d+)", "RTX PRO 6000", "6 1/8, 12 1/4, 24 1/2, 48 1, 96 2, 192 4, 384 8"),
    (r"(?:n1|n2d?|e2|c2d?|c3d?|m[1-4])-[a-z]+-(\d+)", "", "*"),
)
"""A pattern of the machine type, the model, and GPUs by its number; without any, the number is that of GPUs.

Types with `*` have none of their own: GPUs are attached to them one by one, and are priced apart.
"""


def _aws(sku: str) -> Gpus | None:
    family, point, size = sku.partition(".")
    if not point or family not in _AWS:
        return None
    model, sizes = _AWS[family]
    return Gpus(_by_size(sizes).get(size), model)


def _azure(sku: str) -> Gpus | None:
    name = re.fullmatch(r"standard_(.+)", sku, re.IGNORECASE)
    for pattern, model, sizes in _AZURE if name else ():
        if name and (found := re.fullmatch(pattern, name[1], re.IGNORECASE)):
            return Gpus(_by_size(sizes).get(found[1]), model)
    return None


def _google(sku: str) -> Gpus | None:
    for pattern, model, sizes in _GOOGLE:
        if found := re.fullmatch(pattern, sku):
            if sizes == "*":
                return Gpus(Fraction(0), model)
            return Gpus(_by_size(sizes).get(found[1]) if sizes else Fraction(found[1]), model)
    return None


def _by_size(sizes: str) -> dict[str, Fraction]:
    pairs = (one.split() for one in sizes.split(","))
    return {size: Fraction(count) for size, count in pairs}


_CLOUDS = {
    frozenset({"aws", "amazon"}): (_aws, r"(p|g|gr)[0-9][a-z0-9-]*\.[a-z0-9-]+"),
    frozenset({"azure", "microsoft"}): (_azure, r"standard_N[CDGV].+"),
    frozenset({"gcp", "google"}): (_google, r"[ag][2-9]x?-[a-z]+-[0-9]+g?"),
}
"""By a word of a provider's name: what tells the GPUs of a SKU, and which names have some, known or not."""
