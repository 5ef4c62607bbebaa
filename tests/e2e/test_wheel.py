"""The product as users get it: sdist, a wheel built from it, installed in an environment of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ("alerts", "api", "chargeback", "collectors", "dashboards", "gpuledger", "simulator")
EXTRAS = ("agent", "engine", "kubernetes", "postgres", "reports", "server", "spark")
ENGINE_IS_NEEDED = "needs: pip install 'gpuledger[engine]'"

READ_EACH = """
import importlib.resources, sys
for name in sys.argv[1:]:
    room, _, path = name.partition("/")
    print(name, len(importlib.resources.files(room).joinpath(path).read_bytes()))
"""

FIND_EACH = """
import importlib.util, sys
print(*[name for name in sys.argv[1:] if importlib.util.find_spec(name)])
"""

Install = Callable[[str], Path]


@pytest.fixture(scope="module")
def uv() -> Callable[..., None]:
    """uv, on the path or beside this Python; what it has in its cache needs no network."""
    program = shutil.which("uv") or str(Path(sys.executable).with_name("uv"))
    environ = {**os.environ, "UV_PYTHON_DOWNLOADS": "never"}

    def call(*arguments: str | Path) -> None:
        command = [program, *arguments, "--quiet"]
        if subprocess.run([*command, "--offline"], env=environ, capture_output=True).returncode:
            subprocess.run(command, check=True, env=environ)

    return call


@pytest.fixture(scope="module")
def wheel(uv: Callable[..., None], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from the sdist of a clean copy of our sources."""
    sources, built = tmp_path_factory.mktemp("sources"), tmp_path_factory.mktemp("built")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, sources)
    for room in ROOMS:
        shutil.copytree(ROOT / room, sources / room, ignore=shutil.ignore_patterns("__pycache__"))
    uv("build", "--no-build-isolation", "--python", sys.executable, "--out-dir", built, sources)
    assert len(list(built.glob("gpuledger-*.tar.gz"))) == 1
    (path,) = built.glob("gpuledger-*.whl")
    return path


@pytest.fixture(scope="module")
def install(uv: Callable[..., None], wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Install:
    """The function `install(extra)`: the bin folder of an environment with the wheel and that extra alone."""
    made: dict[str, Path] = {}

    def once(extra: str) -> Path:
        if extra not in made:
            environment = tmp_path_factory.mktemp(extra or "base") / "venv"
            uv("venv", "--python", sys.executable, environment)
            made[extra] = environment / "bin"
            wanted = f"gpuledger[{extra}] @ {wheel.as_uri()}" if extra else f"gpuledger @ {wheel.as_uri()}"
            lock = ROOT / "requirements.lock"
            uv("pip", "install", "--python", made[extra] / "python", "--constraint", lock, wanted)
        return made[extra]

    return once


def run(program: Path, *arguments: str, home: Path) -> subprocess.CompletedProcess[str]:
    """Run a program in a folder of its own, with nothing of this environment but the path."""
    environ = {"PATH": "/usr/bin:/bin", "HOME": str(home), "LC_ALL": "C.UTF-8", "COLUMNS": "100"}
    return subprocess.run([program, *arguments], cwd=home, env=environ, capture_output=True, text=True)


def data_files() -> list[str]:
    """Paths, from the root, of all files of the rooms that are not Python."""
    files = (path for room in ROOMS for path in (ROOT / room).rglob("*") if path.is_file())
    kept = (path for path in files if path.suffix not in {".py", ".pyc"})
    return sorted(path.relative_to(ROOT).as_posix() for path in kept)


def test_the_wheel_carries_every_data_file_and_no_test(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert set(data_files()) <= names
    assert {name.partition("/")[0] for name in names if ".dist-info/" not in name} == set(ROOMS)


def test_an_installed_room_reads_its_data_files(install: Install, tmp_path: Path) -> None:
    first = {path.partition("/")[0]: path for path in data_files() if not path.endswith("py.typed")}
    chosen = [first.get(room, f"{room}/py.typed") for room in ROOMS]
    done = run(install("") / "python", "-I", "-c", READ_EACH, *chosen, home=tmp_path)
    assert done.stdout.splitlines() == [f"{path} {(ROOT / path).stat().st_size}" for path in chosen], (
        done.stderr
    )


def test_the_installed_wheel_runs_the_demo(install: Install, tmp_path: Path) -> None:
    done = run(install("engine") / "gpuledger", "demo", home=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout


@pytest.mark.parametrize("extra", ["", *EXTRAS])
def test_each_extra_alone_prints_help_and_runs_a_command(
    install: Install, extra: str, tmp_path: Path
) -> None:
    program = install(extra) / "gpuledger"
    shown, settings = run(program, "--help", home=tmp_path), run(program, "settings", home=tmp_path)
    assert (shown.returncode, settings.returncode) == (0, 0), shown.stderr + settings.stderr
    assert "statement" in shown.stdout, "every command is listed in every install"
    assert "memory_limit" in settings.stdout


@pytest.mark.parametrize("extra", ["", "agent", "kubernetes", "postgres"])
def test_a_command_without_its_extra_says_what_to_install(
    install: Install, extra: str, tmp_path: Path
) -> None:
    done = run(install(extra) / "gpuledger", "run", home=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", ENGINE_IS_NEEDED + "\n")


def test_an_agent_installs_nothing_of_the_engine(install: Install, tmp_path: Path) -> None:
    heavy = ("alembic", "duckdb", "fastapi", "kubernetes", "numpy", "pandas", "pyarrow", "sqlalchemy")
    done = run(install("agent") / "python", "-I", "-c", FIND_EACH, *heavy, home=tmp_path)
    assert (done.returncode, done.stdout) == (0, "\n"), done.stderr
