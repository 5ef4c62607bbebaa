"""From files as sources export them to the statement: every way to hold a GPU at once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from desktop import Desktop
from house import at

pytestmark = pytest.mark.books

MONTH = ("--month", "2026-10")
THROUGH = ("--through", "2026-11-01T00:00Z")
FILES = {
    "inventory": (
        "node,index,uuid,model,compute,memory,start\n"
        "n1,0,GPU-0,H100,7,8,2026-10-01T00:00Z\n"
        "n1,1,GPU-1,H100,7,8,2026-10-01T00:00Z\n"
        "n2,0,GPU-2,H100,7,8,2026-10-01T00:00Z\n",
        "columns: {node: node, slot: index, device: uuid, model: model, compute_slices: compute, "
        "memory_slices: memory, start: start}\n",
    ),
    "partitions": (
        "node,gpu,gi,uuid,profile,compute,memory,start,end\n"
        "n1,0,1,MIG-a,4g.40gb,4,4,2026-10-05T00:00Z,\n"
        "n1,0,2,MIG-b,3g.40gb,3,4,2026-10-05T00:00Z,\n",
        "columns: {node: node, slot: gpu, instance: gi, uuid: uuid, profile: profile, "
        "compute_slices: compute, memory_slices: memory, start: start, end: {column: end, missing: open}}\n",
    ),
    "states": (
        "node,state,start,end\nn2,DOWN*+DRAIN,2026-10-20T00:00Z,2026-10-21T00:00Z\n",
        "columns: {node: node, state: state, start: start, end: {column: end, missing: open}}\n",
    ),
    "holdings": (
        "pod,ns,node,uuid,start,end\n"
        "a,ml,n1,MIG-a,2026-10-06T00:00Z,2026-10-08T00:00Z\n"
        "b,web,n1,MIG-b,2026-10-06T00:00Z,2026-10-07T00:00Z\n"
        "d,web,n2,GPU-2,2026-10-19T00:00Z,2026-10-20T12:00Z\n",
        "identity: [pod, uuid]\nrun: pod\n"
        "columns: {owner_key: ns, node: node, device: uuid, start: start, end: end}\n",
    ),
    "phases": (
        "pod,phase,start,end\n"
        "a,Pulling,2026-10-06T00:00Z,2026-10-06T00:30Z\n"
        "a,Running,2026-10-06T00:30Z,2026-10-08T00:00Z\n",
        "run: pod\nphases: {Pulling: warm_up, Running: running}\n"
        "columns: {phase: phase, start: start, end: end}\n",
    ),
    "samples": (
        "uuid,node,ts,sm\n",
        "step: 60\ncolumns: {device: uuid, node: node, at: ts}\n"
        "metrics: {sm_active_permille: {column: sm, unit: percent}}\n",
    ),
}
SLICES = (
    "pod,ns,node,gpu,replicas,start,end\n"
    "s1,ml,n1,1,4,2026-10-10T00:00Z,2026-10-11T00:00Z\n"
    "s2,web,n1,1,4,2026-10-10T12:00Z,2026-10-11T00:00Z\n",
    "identity: pod\ncolumns: {owner_key: ns, node: node, slot: gpu, start: start, end: end, "
    "share: {mode: time_slicing, replicas: replicas}}\n",
)


def samples() -> Iterator[str]:
    """A day of two partitions by the minute: one busy every other hour, the other never."""
    begin = at("2026-10-06T00:00Z")
    for instant in range(begin, begin + 86_400, 60):
        yield f"MIG-a,n1,{instant},{80 if instant % 7200 < 3600 else 1}\n"
        yield f"MIG-b,n1,{instant},0\n"


def bring(desktop: Desktop, kind: str, text: str, keys: str, name: str = "") -> None:
    name = name or kind
    desktop.write(f"{name}.csv", text)
    desktop.write(f"{name}.yaml", f"kind: {kind}\nsource: {name}\nconstants: {{cluster: c}}\n{keys}")
    through = THROUGH if kind in ("inventory", "holdings") else ()
    code, _, err = desktop.type("import", kind, f"{name}.csv", "--map", f"{name}.yaml", *through)
    assert code == 0, err


def told(desktop: Desktop, *words: str) -> dict[str, Any]:
    code, out, err = desktop.type(*words, *MONTH, "--format", "json")
    assert code == 0, err
    found: dict[str, Any] = json.loads(out)
    return found


def test_every_way_to_hold_a_gpu_comes_from_files_to_the_statement(desktop: Desktop) -> None:
    desktop.clock = float(at("2026-12-02T00:00Z"))
    for kind, (text, keys) in FILES.items():
        bring(desktop, kind, text + ("".join(samples()) if kind == "samples" else ""), keys)
    bring(desktop, "holdings", *SLICES, name="slices")
    desktop.write("prices.csv", "model,rate,currency,from,to\nH100,4,USD,2026-01-01T00:00Z,\n")
    assert desktop.type("import", "prices", "prices.csv")[0] == 0
    assert desktop.type("run", *MONTH)[0] == 0

    made = told(desktop, "statement")
    amounts = {line["key"]: line["amount"] for line in made["lines"]}
    # ml: 48 h of 8/15 and 12 h + 12 h halved; web: 24 h of 7/15, 36 h whole, 12 h halved; 12 h of n2 drained.
    assert amounts == {"ml": 17440, "web": 21280, "__overhead__": 4800, "__idle_free__": 849280}
    used = told(desktop, "usage", "--by", "owner")
    lines = {line["key"]: line for line in used["lines"]}
    assert lines["ml"]["used_gpu_hours"] == lines["ml"]["idle_held_gpu_hours"] == "6.400000"
    assert lines["web"]["idle_held_gpu_hours"] == "11.200000"
    assert [one["run"] for one in used["idle_holders"]] == ["c/b", "c/a"]
    assert told(desktop, "explain", "ml", "--slot", "n1/0")["adds_up"] is True
    assert desktop.type("verify", *MONTH)[0] == 0
    assert desktop.type("close", *MONTH)[0] == 0
