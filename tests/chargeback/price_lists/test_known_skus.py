"""A SKU's name tells how many GPUs a node has, and which."""

from __future__ import annotations

from fractions import Fraction

import pytest

from chargeback.price_lists.known_skus import Gpus, gpus_of


@pytest.mark.parametrize(
    ("provider", "sku", "count", "model"),
    [
        ("AWS", "p5.48xlarge", "8", "H100"),
        ("AWS", "p5.4xlarge", "1", "H100"),
        ("AWS", "g5.12xlarge", "4", "A10G"),
        ("Amazon Web Services", "g5.16xlarge", "1", "A10G"),
        ("AWS", "g6f.large", "1/8", "L4"),
        ("AWS", "p6e-gb200.36xlarge", "4", "GB200"),
        ("Azure", "Standard_NC96ads_A100_v4", "4", "A100"),
        ("Azure", "standard_nc24rs_v3", "4", "V100"),
        ("Microsoft", "Standard_ND96isr_H200_v5", "8", "H200"),
        ("Azure", "Standard_ND96is_noIB_H100_v5", "8", "H100"),
        ("Azure", "Standard_ND128isr_NDR_GB200_v6", "4", "GB200"),
        ("Azure", "Standard_NV12ads_A10_v5", "1/3", "A10"),
        ("Azure", "Standard_NC6", "1", "K80"),
        ("GCP", "a2-megagpu-16g", "16", "A100"),
        ("Google Cloud", "a3-ultragpu-8g", "8", "H200"),
        ("GCP", "g2-standard-32", "1", "L4"),
        ("GCP", "g2-standard-24", "2", "L4"),
        ("GCP", "g4-standard-6", "1/8", "RTX PRO 6000"),
    ],
)
def test_the_gpus_of_a_sku_are_known_by_its_name(provider: str, sku: str, count: str, model: str) -> None:
    assert gpus_of(sku, provider) == Gpus(Fraction(count), model)


@pytest.mark.parametrize(
    ("provider", "sku"),
    [("AWS", "m5.large"), ("AWS", "c6g.metal"), ("Azure", "Standard_D8s_v5"), ("GCP", "x4-1")],
)
def test_a_name_that_says_nothing_of_gpus_is_not_known(provider: str, sku: str) -> None:
    assert gpus_of(sku, provider) is None


@pytest.mark.parametrize(
    ("provider", "sku"),
    [
        ("AWS", "p9.48xlarge"),
        ("AWS", "g6.3xlarge"),
        ("Azure", "Standard_ND256is_X200_v9"),
        ("GCP", "a9-highgpu-8g"),
    ],
)
def test_a_new_sku_of_a_family_with_gpus_has_some_whichever(provider: str, sku: str) -> None:
    gpus = gpus_of(sku, provider)
    assert gpus is not None
    assert gpus.count is None


def test_gpus_are_attached_to_general_machine_types_and_not_told_by_them() -> None:
    assert gpus_of("n1-highmem-8", "GCP") == Gpus(Fraction(0), "")


def test_a_name_means_what_its_own_provider_means_by_it() -> None:
    assert gpus_of("g3.small.x86", "Latitude.sh") is None
    assert gpus_of("p5.48xlarge", "") is None


@pytest.mark.parametrize(
    ("model", "listed", "fits"),
    [
        ("A100", "A100 (80 GB)", True),
        ("A100", "a100-80gb", True),
        ("H100", "h100-80gb-mega", True),
        ("RTX PRO 6000", "rtx6000", True),
        ("RTX PRO 6000", "rtx-pro-server-6000", True),
        ("V520", "radeon-pro-v520", True),
        ("L4", "l40s", False),
        ("A10", "a10g", False),
        ("T4", "T4G", False),
        ("A100", "H100", False),
    ],
)
def test_a_model_is_told_by_whole_words(model: str, listed: str, fits: bool) -> None:
    assert Gpus(Fraction(1), model).is_model(listed) is fits
