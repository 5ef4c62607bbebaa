"""Where a setting comes from, and what is refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gpuledger.errors import SettingsError
from gpuledger.settings import SETTINGS, Settings
from gpuledger.sources import Sourced, load


def read(
    tmp_path: Path,
    flags: dict[str, str] | None = None,
    environ: dict[str, str] | None = None,
    file: str | None = None,
) -> Sourced:
    """Settings with this home file, in an otherwise empty world."""
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    if file is not None:
        (home / "gpuledger.toml").write_text(file)
    return load(flags or {}, environ={"GPULEDGER_HOME": str(home), **(environ or {})}, cwd=tmp_path)


def test_flag_wins_over_environment_over_file_over_default(tmp_path: Path) -> None:
    file = 'zone = "Asia/Tokyo"\nbook = "file"\ncluster = "file"\n'
    environ = {"GPULEDGER_BOOK": "environment", "GPULEDGER_ZONE": "Europe/Paris"}
    found = read(tmp_path, {"zone": "Asia/Kolkata"}, environ, file)
    assert (found.settings.zone, found.settings.book) == ("Asia/Kolkata", "environment")
    assert (found.settings.cluster, found.settings.currency) == ("file", "USD")
    assert found.sources["zone"] == "flag --zone"
    assert found.sources["book"] == "environment GPULEDGER_BOOK"
    assert found.sources["cluster"] == f"file {tmp_path / 'home' / 'gpuledger.toml'}"
    assert found.sources["currency"] == "default"


def test_every_setting_has_a_value_and_a_source(tmp_path: Path) -> None:
    found = read(tmp_path)
    assert set(found.sources) == {setting.name for setting in SETTINGS}
    assert found.settings == Settings(home=str(tmp_path / "home"))


def test_numbers_in_text_become_numbers(tmp_path: Path) -> None:
    assert read(tmp_path, environ={"GPULEDGER_WORKERS": "4"}, file="threads = 2").settings.workers == 4
    assert read(tmp_path, file="threads = 2").settings.threads == 2


def test_empty_environment_variable_gives_nothing(tmp_path: Path) -> None:
    assert (
        read(tmp_path, environ={"GPULEDGER_ZONE": ""}, file='zone = "Asia/Tokyo"').settings.zone
        == "Asia/Tokyo"
    )


def test_unknown_key_in_file_names_file_line_and_nearest_setting(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        read(tmp_path, file='book = "a"\nmemory_limits = "1GB"\n')
    assert "memory_limits" in caught.value.message
    assert str(caught.value.place) == f"{tmp_path / 'home' / 'gpuledger.toml'}, line 2"
    assert caught.value.mend == "did you mean memory_limit?"


@pytest.mark.parametrize(
    "name, value, reason",
    [
        ("zone", "Asia/Kolkatta", "there is no such time zone"),
        ("zone", "../etc/passwd", "there is no such time zone"),
        ("zone", "Asia", "there is no such time zone"),
        ("currency", "XYZ", "not known"),
        ("workers", "-2", "1 or more"),
        ("workers", "two", "integer"),
        ("threads", "-1", "0 or more"),
        ("shards", "0", "1 or more"),
        ("charged", "carded", "pooled"),
        ("memory_limit", "lots", "not an amount of memory"),
        ("database_url", "ledger.db", "not the address of a database"),
        ("book", "a/b", "not a plain name"),
        ("now", "soon", ""),
    ],
)
def test_value_that_cannot_be_names_where_it_came_from(
    tmp_path: Path, name: str, value: str, reason: str
) -> None:
    with pytest.raises(SettingsError, match=f"^{name} = '{value}'.*{reason}") as caught:
        read(tmp_path, flags={name: value})
    assert str(caught.value.place) == f"flag --{name.replace('_', '-')}"
    assert caught.value.mend
    with pytest.raises(SettingsError) as caught:
        read(tmp_path, environ={f"GPULEDGER_{name.upper()}": value})
    assert str(caught.value.place) == f"environment GPULEDGER_{name.upper()}"
    with pytest.raises(SettingsError) as caught:
        read(tmp_path, file=f'# mine\n{name} = "{value}"')
    assert str(caught.value.place).endswith("gpuledger.toml, line 2")


@pytest.mark.parametrize("text", ["workers = true", "workers = 1.5", "[workers]\na = 1", "workers = [1]"])
def test_file_gives_text_or_whole_numbers_only(tmp_path: Path, text: str) -> None:
    with pytest.raises(SettingsError, match="text or a whole number"):
        read(tmp_path, file=text)


def test_file_that_is_not_toml_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"cannot be read.*gpuledger\.toml"):
        read(tmp_path, file="zone = Asia")


def test_variable_one_slip_away_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="GPULEDGER_WORKER") as caught:
        read(tmp_path, environ={"GPULEDGER_WORKER": "4"})
    assert caught.value.mend == "did you mean GPULEDGER_WORKERS?"


def test_other_variables_are_left_alone(tmp_path: Path) -> None:
    tests = {"GPULEDGER_REQUIRE": "apt", "GPULEDGER_REALDATA": "../data"}
    kubernetes = {"GPULEDGER_PORT": "tcp://10.0.0.1:80", "GPULEDGER_SERVICE_HOST": "10.0.0.1"}
    assert read(tmp_path, environ=tests | kubernetes) == read(tmp_path)


def test_named_file_is_read_instead_of_the_homes_own(tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text('book = "other"')
    found = read(tmp_path, {"settings": "other.toml"}, file='book = "own"\nzone = "Asia/Tokyo"')
    assert (found.settings.book, found.settings.zone) == ("other", "UTC")
    assert found.settings.settings == str(tmp_path / "other.toml")


def test_named_file_must_exist(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"other\.toml.*GPULEDGER_SETTINGS"):
        read(tmp_path, environ={"GPULEDGER_SETTINGS": "other.toml"})


def test_home_in_a_named_file_is_relative_to_it(tmp_path: Path) -> None:
    (tmp_path / "deploy").mkdir()
    (tmp_path / "deploy" / "settings.toml").write_text('home = "ledger"')
    found = load({"settings": "deploy/settings.toml"}, environ={}, cwd=tmp_path)
    assert found.settings.home == str(tmp_path / "deploy" / "ledger")
    assert found.sources["home"] == f"file {tmp_path / 'deploy' / 'settings.toml'}"


def test_home_cannot_be_moved_by_its_own_file(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"where the home folder is.*line 1"):
        read(tmp_path, file='home = "/elsewhere"')


def test_home_that_nobody_asked_for_says_why_it_is_that_one(tmp_path: Path) -> None:
    found = load({}, environ={"XDG_DATA_HOME": str(tmp_path)}, cwd=tmp_path)
    assert found.settings.home == str(tmp_path / "gpuledger")
    assert found.sources["home"] == "default: the user's data folder"


def test_settings_as_data_need_no_pydantic() -> None:
    code = "import sys, gpuledger.settings; sys.exit('pydantic' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[2])
