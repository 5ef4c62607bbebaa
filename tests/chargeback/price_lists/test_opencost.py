"""OpenCost's CSV: nodes by an id, GPUs by a label, and never both for one node."""

from __future__ import annotations

from price_lists import prices, rates, read, reasons

from gpuledger.instants import format_utc

HEADER = "EndTimestamp,InstanceID,Region,AssetClass,InstanceIDField,InstanceType,MarketPriceHourly,Version"
APRIL, MAY = "2026-04-17 23:34:22 UTC", "2026-05-01 00:00:00 UTC"


def node(named: str, field: str, price: str = "2.5", when: str = APRIL, region: str = "") -> str:
    return f"{when},{named},{region},node,{field},,{price},"


def gpu(model: str, price: str = "0.75", when: str = APRIL) -> str:
    return f"{when},{model},,gpu,nvidia.com/gpu_type,,{price},"


def test_a_node_is_priced_by_its_instance_and_by_its_type() -> None:
    found = read(
        HEADER,
        node("aws:///us-east-1a/i-0abc", "spec.providerID"),
        node("node-7", "metadata.name", region="eu"),
        node("p5.48xlarge", "metadata.labels.node.kubernetes.io/instance-type", "55"),
        from_s=None,
    )
    assert [(fact.selector_kind, fact.selector, fact.region, fact.rate) for fact in prices(found)] == [
        ("contract", "i-0abc", "", "2.5"),
        ("contract", "node-7", "eu", "2.5"),
        ("sku", "p5.48xlarge", "", "55"),
    ]
    assert {fact.unit for fact in prices(found)} == {"node_hour"}
    assert {format_utc(fact.start_s) for fact in prices(found)} == {"2026-04-17T23:34:22Z"}


def test_a_gpu_is_priced_by_its_model() -> None:
    (fact,) = prices(read(HEADER, gpu("Quadro_RTX_4000")))
    assert (fact.selector_kind, fact.selector, fact.rate, fact.unit, fact.purchase_option) == (
        "model",
        "Quadro_RTX_4000",
        "0.75",
        "gpu_hour",
        "",
    )


# T48: OpenCost adds the GPUs to the node, so its price of a node would stand for both and be half.
def test_a_node_whose_gpus_are_priced_by_themselves_has_no_price_that_covers_them() -> None:
    found = read(HEADER, node("node-7", "metadata.name"), gpu("a100"))
    assert rates(found) == {"a100//": "0.75"}
    assert reasons(found.skipped) == {
        "the price of a node without its GPUs, which the list prices by themselves": 1
    }
    assert len(prices(read(HEADER, node("node-7", "metadata.name"), gpu("a100"), everything=True))) == 2


def test_the_row_with_the_last_end_counts_and_of_these_the_last() -> None:
    found = read(HEADER, gpu("a100", "3", MAY), gpu("A100", "1", APRIL), gpu("a100", "4", MAY))
    assert rates(found) == {"a100//": "4"}
    (one,) = found.skipped
    assert (one.reason, one.count, one.said) == ("a later row prices the same", 2, "a100: row 3")


def test_volumes_labels_and_comments_are_skipped() -> None:
    found = read(
        HEADER,
        "# kept by ops",
        f"{APRIL},standard,,pv,spec.storageClassName,,0.0001,",
        node("Reserved", "metadata.labels.usage"),
        node("node-7", "metadata.name", ""),
    )
    assert prices(found) == []
    assert reasons(found.skipped) == {
        "another number of cells than the header has": 1,
        "it is no node and no GPU": 1,
        "nodes are told apart by a field that inventories have not": 1,
        "MarketPriceHourly is no price": 1,
    }
