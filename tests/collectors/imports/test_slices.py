"""The table of slices: what it says of each device, and how it reads names of models and profiles."""

from __future__ import annotations

import pytest

from collectors.imports.rows import BadRow
from collectors.imports.slices import DEVICES, VERSION, Slices, profile_name, slices_of


def test_the_table_of_this_version_stays_as_it_is() -> None:
    assert VERSION == 1
    assert {
        f"{device.model}-{device.memory_gb}": " ".join(
            f"{name}={slices.compute}/{slices.memory}" for name, slices in device.profiles.items()
        )
        for device in DEVICES
    } == {
        "A100-40": "1g.5gb=1/1 1g.5gb+me=1/1 1g.10gb=1/2 2g.10gb=2/2 3g.20gb=3/4 4g.20gb=4/4 7g.40gb=7/8",
        "A100-80": "1g.10gb=1/1 1g.10gb+me=1/1 1g.20gb=1/2 2g.20gb=2/2 3g.40gb=3/4 4g.40gb=4/4 7g.80gb=7/8",
        "H100-80": "1g.10gb=1/1 1g.10gb+me=1/1 1g.20gb=1/2 2g.20gb=2/2 3g.40gb=3/4 4g.40gb=4/4 7g.80gb=7/8",
        "H200-141": "1g.18gb=1/1 1g.18gb+me=1/1 1g.35gb=1/2 2g.35gb=2/2 3g.71gb=3/4 4g.71gb=4/4 7g.141gb=7/8",
        "A30-24": "1g.6gb=1/1 1g.6gb+me=1/1 2g.12gb=2/2 2g.12gb+me=2/2 4g.24gb=4/4",
    }


def test_no_profile_takes_more_than_its_device_has() -> None:
    for device in DEVICES:
        assert device.whole in device.profiles.values()
        for slices in device.profiles.values():
            assert slices.compute <= device.whole.compute
            assert slices.memory <= device.whole.memory


@pytest.mark.parametrize(
    ("model", "profile", "slices"),
    [
        ("NVIDIA A100-SXM4-40GB", "1g.10gb", (1, 2)),
        ("NVIDIA-A100-SXM4-40GB-MIG-1g.5gb-SHARED", "1g.5gb", (1, 1)),
        ("NVIDIA-A100-SXM4-80GB-SHARED", "1g.10gb", (1, 1)),
        ("NVIDIA A100 80GB PCIe", "7g.80gb", (7, 8)),
        ("NVIDIA H100 80GB HBM3", "3g.40gb", (3, 4)),
        ("NVIDIA H100 PCIe", "1g.10gb+me", (1, 1)),
        ("H100", "2G.20GB", (2, 2)),
        ("NVIDIA H200", "1g.18gb", (1, 1)),
        ("NVIDIA H200 NVL", "1g.35gb", (1, 2)),
        ("A30", "2g.12gb+me", (2, 2)),
        ("A100", "3g.20gb", (3, 4)),
        ("A100", "3g.40gb", (3, 4)),
    ],
)
def test_a_model_is_known_by_its_words(model: str, profile: str, slices: tuple[int, int]) -> None:
    assert slices_of(model, profile) == Slices(*slices)


@pytest.mark.parametrize(
    ("model", "profile"),
    [
        ("A100X", "1g.10gb"),
        ("NVIDIA GH200 480GB", "1g.12gb"),
        ("NVIDIA A100-SXM-64GB", "1g.8gb"),
        ("NVIDIA H100 NVL", "1g.12gb"),
        ("NVIDIA H20", "1g.12gb"),
        ("NVIDIA B200", "1g.23gb"),
        ("A100", "1g.10gb"),
        ("H100", "1g.10gb+me.all"),
        ("", "1g.10gb"),
    ],
)
def test_what_is_not_there_is_refused(model: str, profile: str) -> None:
    with pytest.raises(BadRow):
        slices_of(model, profile)


def test_a_profile_has_one_spelling() -> None:
    written = ("1g.10gb+me", "MIG 1g.10gb+me", "mig-1g.10gb.me", "nvidia.com/mig-1g.10gb.me")
    assert {profile_name(text) for text in written} == {"1g.10gb+me"}
    assert profile_name("CPX") == "CPX"
