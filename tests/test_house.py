"""House rules that no linter knows: sizes, faces, requirements, locks, what a tracked file may not say."""

from __future__ import annotations

import ast
import importlib
import re
import statistics
import subprocess
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("alerts", "api", "chargeback", "collectors", "dashboards", "gpuledger", "simulator")

FACES: dict[str, tuple[str, ...]] = {
    "alerts": (),
    "api": (),
    "chargeback": (),
    "collectors": (),
    "dashboards": (),
    "gpuledger": ("__version__",),
    "simulator": (
        "Amount",
        "Cell",
        "Fleet",
        "Gpu",
        "Node",
        "Owner",
        "Price",
        "Truth",
        "Workload",
        "compute_truth",
        "generate",
        "sum_by",
        "write_exports",
    ),
}
"""What each room shows, in order: a name that is added here was added on purpose."""

WORDLESS_NAMES = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}

COPIED = ("tests/captures/", "tests/conformance/README.md", "tests/conformance/examples.json", "tests/kit/")
"""Copies of what others wrote: not ours to judge."""

EXACT = {"chdb", "sqlglot"}
"""Requirements of one release: what renders the models into committed texts, and the engine these run on."""

# Spelled in pieces, so that this file does not hold what it forbids.
INDEX_HOSTS = (
    "py" + "pi.org",
    "python" + "hosted.org",
    "npm" + "js.org",
    "npmjs" + ".com",
    "deb." + "debian.org",
)
INDEX_OPTIONS = ("--index" + "-url", "--extra" + "-index-url", "--find" + "-links")
MACHINE_PATHS = re.compile(r"(?<![\w.~$}-])/(?:" + "work|farm|root|Users" + r")/\w")


@cache
def tracked_files() -> tuple[str, ...]:
    """Paths that git tracks or would add, from the root; without git, all but what .gitignore leaves out."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError):
        hidden = re.compile(r"\.(?!ci$|gitignore$).*|build|dist|__pycache__|.*\.egg-info|uv\.lock")
        tops = (path for path in ROOT.iterdir() if not hidden.fullmatch(path.name))
        paths = (path for top in tops for path in (top, *top.rglob("*")) if path.is_file())
        found = (path.relative_to(ROOT) for path in paths)
        return tuple(sorted(p.as_posix() for p in found if not any(map(hidden.fullmatch, p.parts))))
    return tuple(sorted(path for path in listed.split("\0") if path and (ROOT / path).is_file()))


def own_text() -> Iterator[tuple[str, str]]:
    """(path, text) of each tracked file that we wrote and that is text."""
    for path in tracked_files():
        if not path.startswith(COPIED):
            try:
                yield path, (ROOT / path).read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue


@cache
def room_modules() -> dict[str, ast.Module]:
    """Each module of the rooms by its path, parsed."""
    paths = (path for path in tracked_files() if path.endswith(".py") and path.partition("/")[0] in ROOMS)
    return {path: ast.parse((ROOT / path).read_text(encoding="utf-8"), path) for path in paths}


@cache
def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def direct_requirements() -> Iterator[Requirement]:
    """Every requirement that pyproject.toml names, but for the extras that name other extras of ours."""
    table = project()
    texts = list(table["project"]["dependencies"]) + list(table["build-system"]["requires"])
    for extra in table["project"]["optional-dependencies"].values():
        texts += extra
    for group in table["dependency-groups"].values():
        texts += [one for one in group if isinstance(one, str)]
    requirements = (Requirement(text) for text in texts)
    return (one for one in requirements if one.name != table["project"]["name"])


@cache
def locked(lock: str) -> dict[tuple[str, str], str]:
    """(name, marker) -> version of a lock file."""
    lines = (ROOT / lock).read_text(encoding="utf-8").splitlines()
    pins = (Requirement(line.rstrip(" \\")) for line in lines if not line.startswith(" "))
    return {(canonicalize_name(pin.name), str(pin.marker or "")): str(pin.specifier)[2:] for pin in pins}


def imported_names(tree: ast.AST) -> set[str]:
    """Full names of the modules that a module imports, anywhere in it."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {node.module}
    return names


def function_sizes() -> dict[str, int]:
    """Lines of each function, nested ones and decorators included, by where it stands."""
    return {
        f"{path}:{node.lineno} {node.name}": (node.end_lineno or node.lineno) - node.lineno + 1
        for path, tree in room_modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def test_functions_are_short() -> None:
    sizes = function_sizes()
    long = {where: lines for where, lines in sizes.items() if lines > 50}
    assert statistics.median(sizes.values()) <= 15
    assert len(long) <= len(sizes) // 50, f"more than 2 in 100 are over 50 lines: {long}"
    assert not {where: lines for where, lines in sizes.items() if lines > 80}


def test_modules_are_small() -> None:
    sizes = {path: len((ROOT / path).read_text(encoding="utf-8").splitlines()) for path in room_modules()}
    assert not {path: lines for path, lines in sizes.items() if lines > 500}
    long = {path: lines for path, lines in sizes.items() if lines > 300}
    assert len(long) <= len(sizes) // 10, f"more than 1 in 10 are over 300 lines: {long}"


def test_modules_are_named_for_what_is_in_them() -> None:
    words = {path: set(Path(path).with_suffix("").parts) for path in room_modules()}
    assert not {path for path, parts in words.items() if parts & WORDLESS_NAMES}


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_shows_exactly_its_face(room: str) -> None:
    face = importlib.import_module(room)
    assert tuple(face.__all__) == FACES[room]
    assert all(hasattr(face, name) for name in face.__all__)
    assert face.__doc__, "a room says what it is for and what it never does"
    assert (ROOT / room / "py.typed").is_file()


def test_every_package_has_a_docstring_and_an_all() -> None:
    for path, tree in room_modules().items():
        assert ast.get_docstring(tree), f"{path} has no docstring"
        if path.endswith("/__init__.py") and "/migrations" not in path:
            named = {
                t.id
                for n in tree.body
                if isinstance(n, ast.Assign)
                for t in n.targets
                if isinstance(t, ast.Name)
            }
            named |= {
                n.target.id
                for n in tree.body
                if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)
            }
            assert "__all__" in named, f"{path} has no __all__"


def test_the_floors_are_held_by_a_contract() -> None:
    linter = project()["tool"]["importlinter"]
    assert sorted(linter["root_packages"]) == sorted(ROOMS)
    assert [contract["layers"] for contract in linter["contracts"] if contract["type"] == "layers"] == [
        ["api", "dashboards", "alerts", "chargeback | collectors | simulator", "gpuledger"]
    ]
    assert not any("ignore_imports" in contract for contract in linter["contracts"])


def test_no_tracked_file_names_an_index_or_a_path_of_a_machine() -> None:
    for path, text in own_text():
        lines = [line for line in text.splitlines() if "emit" not in line]
        assert not [host for host in INDEX_HOSTS if host in text], path
        assert not [line for line in lines if any(option in line for option in INDEX_OPTIONS)], path
        assert not MACHINE_PATHS.findall(text), path


def test_requirements_lock_is_the_only_kind_of_lock() -> None:
    foreign = {"uv.lock", "poetry.lock", "Pipfile.lock", "package-lock.json", "pdm.lock", "pylock.toml"}
    assert not {path for path in tracked_files() if Path(path).name in foreign}


def test_each_direct_requirement_has_a_lower_bound_only() -> None:
    for one in direct_requirements():
        operators = [specifier.operator for specifier in one.specifier]
        assert operators == (["=="] if one.name in EXACT else [">="]), str(one)


def test_what_renders_the_models_and_runs_the_texts_is_imported_by_no_room() -> None:
    for path, tree in room_modules().items():
        assert not {name.partition(".")[0] for name in imported_names(tree)} & EXACT, path


def test_python_has_a_lower_bound_only() -> None:
    assert project()["project"]["requires-python"] == ">=3.11"


def test_the_lock_holds_every_direct_requirement_within_its_bound() -> None:
    pins = locked("requirements.lock")
    for one in direct_requirements():
        versions = [version for (name, _), version in pins.items() if name == canonicalize_name(one.name)]
        assert versions, f"{one.name} is not locked: make lock"
        assert all(one.specifier.contains(Version(version)) for version in versions), f"{one}: make lock"


def test_the_demo_installs_a_smaller_set_of_the_same_releases() -> None:
    demo, tests = locked("requirements-demo.lock"), locked("requirements.lock")
    assert len(demo) < len(tests) / 2
    assert {name: version for (name, _), version in demo.items()}.items() <= {
        name: version for (name, _), version in tests.items()
    }.items()
    assert all(Marker(marker) for _, marker in demo if marker)


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-demo.lock"])
def test_a_lock_holds_pins_and_hashes_and_nothing_else(lock: str) -> None:
    line_of_a_lock = re.compile(r"([a-z0-9-]+==\S+( ; [^\\]+)?|    --hash=sha256:[0-9a-f]{64})( \\)?")
    lines = (ROOT / lock).read_text(encoding="utf-8").splitlines()
    assert not [line for line in lines if not line_of_a_lock.fullmatch(line)]


def test_an_agent_needs_neither_engine_nor_server() -> None:
    heavy = {"alembic", "duckdb", "fastapi", "kubernetes", "numpy", "pandas", "pyarrow", "sqlalchemy"}
    extras = project()["project"]["optional-dependencies"]
    texts = project()["project"]["dependencies"] + extras["agent"]
    assert not heavy & {canonicalize_name(Requirement(text).name) for text in texts}


def test_the_extra_all_is_all_the_extras() -> None:
    extras = dict(project()["project"]["optional-dependencies"])
    (everything,) = (Requirement(text) for text in extras.pop("all"))
    assert everything.extras == set(extras)


def test_the_command_table_names_extras_that_exist() -> None:
    from gpuledger.commands import COMMANDS, EXTRAS

    extras = project()["project"]["optional-dependencies"]
    assert {command.extra for command in COMMANDS if command.extra} <= set(EXTRAS) <= set(extras)


def test_an_untyped_library_is_met_in_one_module() -> None:
    overrides = project()["tool"]["mypy"]["overrides"]
    untyped = [name for table in overrides if table.get("ignore_missing_imports") for name in table["module"]]
    assert len(overrides) == 1, "one table names all untyped libraries"
    for library in (name.removesuffix(".*") for name in untyped):
        users = [
            path
            for path, tree in room_modules().items()
            if any(name == library or name.startswith(library + ".") for name in imported_names(tree))
        ]
        assert len(users) == 1, f"{library} is imported in {users}: one module of ours gives it types"


def test_scripts_are_small_and_plain_shell() -> None:
    for path in sorted([*(ROOT / "scripts").iterdir(), ROOT / ".ci" / "run"]):
        text = path.read_text(encoding="utf-8")
        if text.startswith("#!/bin/sh\n"):
            subprocess.run(["sh", "-n", str(path)], check=True)
            assert len(text.splitlines()) <= 80, path
        assert path.stat().st_mode & 0o111, f"{path} is not executable"


def test_a_reason_that_is_required_fails_and_any_other_skips(
    require: Callable[[str, str], NoReturn], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GPULEDGER_REQUIRE", "apt,realdata")
    with pytest.raises(pytest.fail.Exception, match="realdata is required here: no folder"):
        require("realdata", "no folder")
    monkeypatch.setenv("GPULEDGER_REQUIRE", "apt")
    with pytest.raises(pytest.skip.Exception, match="realdata: no folder"):
        require("realdata", "no folder")
