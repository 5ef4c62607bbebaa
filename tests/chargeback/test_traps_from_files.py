"""Traps that others fell into (who holds what), from files as sources export them to what is charged."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from desktop import Desktop
from house import at

pytestmark = pytest.mark.books

MONTH = ("--month", "2026-10")
INVENTORY = "node,index,uuid,start\n" + "".join(
    f"n{node},{index},GPU-{node}{index},2026-10-05T00:00Z\n" for node in (1, 2, 3) for index in range(4)
)
SLOTS = (
    "constants: {cluster: c, model: H100}\ncolumns: {node: node, slot: index, device: uuid, start: start}\n"
)
CLUSTER = "constants: {cluster: c}\n"
PODS = "constants: {cluster: c, workload_kind: pod}\n"


@pytest.fixture
def fleet(desktop: Desktop) -> Desktop:
    """Three nodes of four GPUs at 4.00 an hour; what is imported next is held."""
    desktop.clock = float(at("2026-12-02T00:00Z"))
    bring(desktop, "inventory", INVENTORY, SLOTS)
    desktop.write("prices.csv", "model,rate,currency,from,to\nH100,4,USD,2026-01-01T00:00Z,\n")
    assert desktop.type("import", "prices", "prices.csv")[0] == 0
    return desktop


def bring(desktop: Desktop, kind: str, text: str, keys: str) -> dict[str, Any]:
    desktop.write(f"{kind}.csv", text)
    desktop.write(f"{kind}.yaml", f"kind: {kind}\nsource: {kind}\n{keys}")
    through = ("--through", "2026-11-01T00:00Z") if kind in ("inventory", "holdings") else ()
    words = ("import", kind, f"{kind}.csv", "--map", f"{kind}.yaml", "--format", "json", *through)
    code, out, err = desktop.type(*words)
    assert code == 0, err
    found: dict[str, Any] = json.loads(out)
    return found


def charged(desktop: Desktop) -> dict[str, int]:
    """Cents by owner, without what nobody holds; the books are checked too."""
    assert desktop.type("run", *MONTH)[0] == 0
    assert desktop.type("verify", *MONTH)[0] == 0
    found = told(desktop, "statement")
    return {line["key"]: line["amount"] for line in found["lines"] if line["key"] != "__idle_free__"}


def told(desktop: Desktop, *words: str) -> dict[str, Any]:
    code, out, err = desktop.type(*words, *MONTH, "--format", "json")
    assert code == 0, err
    found: dict[str, Any] = json.loads(out)
    return found


def usage(desktop: Desktop) -> dict[str, dict[str, str]]:
    code, out, err = desktop.type("usage", *MONTH, "--by", "owner", "--format", "csv")
    assert code == 0, err
    return {row["owner"]: row for row in csv.DictReader(io.StringIO(out))}


def test_a_pod_whose_image_cannot_be_pulled_is_paid_from_its_binding_and_shown_as_waiting(
    fleet: Desktop,
) -> None:
    """T17: it holds its GPU from scheduling to deletion."""
    pods = "pod,uid,ns,node,gpu,bound,deleted\np,u1,ml,n1,GPU-10,2026-10-06T00:00Z,2026-10-06T03:00Z\n"
    columns = "{owner_key: ns, node: node, device: gpu, start: bound, end: {column: deleted, missing: open}}"
    bring(fleet, "holdings", pods, f"{PODS}identity: [pod, uid]\ncolumns: {columns}\n")
    phases = (
        "pod,uid,reason,since,until\n"
        "p,u1,ImagePullBackOff,2026-10-06T00:00Z,2026-10-06T02:00Z\n"
        "p,u1,Pulling,2026-10-06T02:00Z,2026-10-06T02:30Z\n"
        "p,u1,Started,2026-10-06T02:30Z,2026-10-06T03:00Z\n"
    )
    words = 'phases: {"*BackOff": waiting, Pulling: warm_up, Started: running}\n'
    columns = "{phase: reason, start: since, end: until}"
    bring(fleet, "phases", phases, f"{CLUSTER}run: [pod, uid]\n{words}columns: {columns}\n")
    assert charged(fleet) == {"ml": 1200}
    seen = usage(fleet)["ml"]
    assert (seen["waiting_gpu_hours"], seen["warm_up_gpu_hours"]) == ("2.000000", "0.500000")


def test_an_init_container_and_the_application_hold_their_pods_device_once(fleet: Desktop) -> None:
    """T18: a pod has the greater of both, and never their sum."""
    rows = "".join(
        f"p,u1,ml,n1,GPU-10,{container},2026-10-06T00:00Z,2026-10-06T02:00Z\n"
        for container in ("init", "app")
    )
    columns = "{owner_key: ns, node: node, device: gpu, start: from, end: to}"
    keys = f"{PODS}identity: [pod, uid, gpu]\nrun: [pod, uid]\ncolumns: {columns}\n"
    summary = bring(fleet, "holdings", "pod,uid,ns,node,gpu,container,from,to\n" + rows, keys)
    assert summary["rows"]["repeated"] == 1
    assert charged(fleet) == {"ml": 800}


def test_a_pod_that_is_resized_in_place_pays_each_size_for_its_time(fleet: Desktop) -> None:
    """T19: what a pod asks for is a step function of time."""
    rows = "u1,ml,n1,1,2026-10-06T00:00Z,2026-10-06T02:00Z\nu1,ml,n1,3,2026-10-06T02:00Z,2026-10-06T03:00Z\n"
    columns = "{owner_key: ns, node: node, units: n, start: from, end: {column: to, missing: open}}"
    keys = f"{PODS}identity: [uid, from]\nrun: uid\ncolumns: {columns}\n"
    bring(fleet, "holdings", "uid,ns,node,n,from,to\n" + rows, keys)
    assert charged(fleet) == {"ml": 2000}


def test_a_claim_that_two_pods_share_is_held_once_and_what_is_not_claimed_is_free(fleet: Desktop) -> None:
    """T20: allocated devices vanish from what is offered, and the free ones are still there."""
    rows = "".join(
        f"ml,claim-7,{pod},n1,GPU-10,2026-10-06T00:00Z,2026-10-06T05:00Z\n" for pod in ("pod-a", "pod-b")
    )
    columns = "{owner_key: ns, node: node, device: gpu, start: allocated, end: freed}"
    keys = f"constants: {{cluster: c}}\nidentity: [ns, claim, gpu]\nrun: [ns, claim]\ncolumns: {columns}\n"
    bring(fleet, "holdings", "ns,claim,pod,node,gpu,allocated,freed\n" + rows, keys)
    assert charged(fleet) == {"ml": 2000}
    free = usage(fleet)["__idle_free__"]["idle_free_gpu_hours"]
    assert float(free) == 12 * 27 * 24 - 5


def test_four_pods_that_ask_for_a_quarter_are_one_gpu(fleet: Desktop) -> None:
    """T4: HAMi's gpucores and gpumem make a part of a GPU, and not a GPU each."""
    asks = (("a", 25, 10), ("b", 10, 20), ("c", 25, ""), ("d", "", 20))
    rows = "".join(f"{pod},n1,GPU-10,{cores},{mem},80\n" for pod, cores, mem in asks)
    columns = (
        "{owner_key: pod, node: node, device: gpu, start: {constant: 2026-10-06T00:00Z}, "
        "end: {constant: 2026-10-06T01:00Z}, "
        "fraction: {greatest_of: [{column: cores, per: 100}, {column: mem, per_column: whole}]}}"
    )
    bring(
        fleet,
        "holdings",
        "pod,node,gpu,cores,mem,whole\n" + rows,
        f"{PODS}identity: pod\ncolumns: {columns}\n",
    )
    assert charged(fleet) == {"a": 100, "b": 100, "c": 100, "d": 100}


SACCT = """\
JobID|Account|State|NodeList|AllocTRES|Start|End|Suspended
100|ml|NODE_FAIL|n1|gres/gpu:h100=4,gres/gpu=4|2026-10-06T00:00:00|2026-10-06T01:00:00|00:00:00
100|ml|COMPLETED|n1|gres/gpu:h100=4,gres/gpu=4|2026-10-06T02:00:00|2026-10-06T04:00:00|00:30:00
101_1|nlp|COMPLETED|n2|gres/gpu=1|2026-10-06T00:00:00|2026-10-06T01:00:00|00:00:00
101_2|nlp|CANCELLED by 1001|n2|gres/gpu=1|2026-10-06T00:00:00|2026-10-06T01:00:00|00:00:00
102+0|web|TIMEOUT|n[1-3]|gres/gpu=3|2026-10-07T00:00:00|2026-10-07T10:00:00|00:00:00
102+1|web|TIMEOUT|n3|gres/gpu=2|2026-10-07T00:00:00|2026-10-07T10:00:00|00:00:00
103|late|PENDING|None assigned||Unknown|Unknown|
"""
JOBS = """\
delimiter: "|"
identity: [JobID, Start]
columns:
  owner_key: Account
  nodes: NodeList
  units: {column: AllocTRES, tres: gres/gpu, missing: 0}
  outcome: State
  suspended: Suspended
  start: Start
  end: {column: End, missing: open}
constants: {cluster: c, workload_kind: job}
zone: UTC
nulls: [Unknown]
rows: {without: {NodeList: [None assigned]}}
"""


def test_every_run_of_slurm_is_paid_and_its_suspended_and_lost_time_are_seen(fleet: Desktop) -> None:
    """T25, T24: requeued runs, tasks of arrays, heterogeneous jobs, jobs on several nodes."""
    summary = bring(fleet, "holdings", SACCT, JOBS)
    assert (
        summary["figures"] | {"gpu_hours_held": "64.000000", "gpu_hours_suspended": "2.000000"}
        == (summary["figures"])
    )
    saves = (
        "JobID,Start,at\n"
        "102+0,2026-10-07T00:00:00,2026-10-07T08:00:00\n"
        "100,2026-10-06T00:00:00,2026-10-06T00:45\n"
    )
    keys = f"{CLUSTER}run: [JobID, Start]\ncolumns: {{at: at}}\nzone: UTC\n"
    bring(fleet, "checkpoints", saves, keys)
    assert charged(fleet) == {"ml": 4800, "nlp": 800, "web": 20000}
    seen = usage(fleet)
    assert seen["ml"]["suspended_told_gpu_hours"] == "2.000000"
    assert (seen["ml"]["lost_work_gpu_hours"], seen["web"]["lost_work_gpu_hours"]) == ("1.000000", "6.000000")
    assert seen["nlp"]["lost_work_gpu_hours"] == "0.000000"


def test_workers_whose_leader_alone_is_labelled_have_its_owner_and_explain_says_how(fleet: Desktop) -> None:
    """T23: most of a serving group has no label of its own."""
    rows = "".join(
        f"pod-{index},{label},serving,lws-7,n1,GPU-1{index},2026-10-06T00:00Z,2026-10-06T01:00Z\n"
        for index, label in enumerate(("", "search", ""))
    )
    columns = (
        "{owner_key: {first_of: [label_team, ns]}, controller: lws, node: node, device: gpu, "
        "start: from, end: to}"
    )
    keys = f"{PODS}identity: pod\ncolumns: {columns}\n"
    bring(fleet, "holdings", "pod,label_team,ns,lws,node,gpu,from,to\n" + rows, keys)
    assert charged(fleet) == {"search": 1200}
    found = told(fleet, "explain", "search")
    assert found["adds_up"] is True
    step = next(one for one in found["steps"] if one["step"] == "holdings")
    assert sorted(row["owner_key"] for row in step["rows"]) == [
        "search (from label_team of controller lws-7)",
        "search (from label_team of controller lws-7)",
        "search (from label_team)",
    ]
