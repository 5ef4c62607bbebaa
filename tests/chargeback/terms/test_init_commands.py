"""`gpuledger init`: a commented folder of terms that can be applied as it is."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from desktop import Desktop, filled

from chargeback.owners import Who
from chargeback.policies import CHOICES
from chargeback.terms.folder import FILES, read_folder
from chargeback.terms.in_force import TermsInForce
from chargeback.terms.starter_folder import starter_files, write_folder


def listed(*whos: Who) -> list[str]:
    text = starter_files(whos)["teams.yaml"]
    return text.partition("say of themselves:\n")[2].partition("\n\nteams:")[0].splitlines()


def who(owner_key: str, labels: str = "") -> Who:
    return Who("c", "", "", owner_key, labels)


def test_folder_has_all_files_and_applies_as_it_is(desktop: Desktop) -> None:
    code, out, _ = desktop.type("init")
    assert code == 0 and "wrote terms/teams.yaml, terms/prices.yaml, terms/policies.yaml" in out
    code, out, err = desktop.type("apply")
    assert code == 0
    assert out.splitlines()[0] == "+ policy unmatched_owner: choice unknown/1"
    assert "warning" not in err


def test_policies_name_every_choice_there_is() -> None:
    text = starter_files(())["policies.yaml"]
    assert not [
        name for policy, choices in CHOICES.items() for name in (policy, *choices) if name not in text
    ]


@pytest.mark.parametrize("name", FILES)
def test_example_in_the_comments_can_be_applied(name: str, tmp_path: Path) -> None:
    lines = starter_files(())[name].splitlines()
    shown = [line.removeprefix("#   ") for line in lines if line.startswith("#   ")]
    keys = {"teams.yaml": "rules", "prices.yaml": "prices", "entitlements.yaml": "lending"}
    keys |= {"lots.yaml": "energy", "bills.yaml": "rules", "commitments.yaml": "commitments"}
    if name in keys:
        assert yaml.safe_load("\n".join(shown))[keys[name]]
        (tmp_path / name).write_text("\n".join(shown))
        read_folder(tmp_path, "UTC", TermsInForce())


@pytest.mark.parametrize("name", FILES)
def test_existing_file_is_not_overwritten_and_nothing_is_written(desktop: Desktop, name: str) -> None:
    (desktop.folder / "terms").mkdir()
    desktop.write(f"terms/{name}", "mine")
    code, _, err = desktop.type("init")
    assert code == 3 and f"{name} is there already" in err
    assert [path.name for path in (desktop.folder / "terms").iterdir()] == [name]
    assert (desktop.folder / "terms" / name).read_text() == "mine"


def test_file_in_the_place_of_the_folder_is_an_error(desktop: Desktop) -> None:
    desktop.write("terms", "a file")
    code, _, err = desktop.type("init")
    assert code == 3 and "the folder cannot be written" in err


def test_teams_list_what_there_is_to_match(desktop: Desktop) -> None:
    filled(desktop)
    assert desktop.type("init", "mine")[0] == 0
    text = (desktop.folder / "mine" / "teams.yaml").read_text()
    assert "#   cluster: c\n#   owner_key: ml, nlp\n\nteams: []" in text


def test_list_of_what_there_is_to_match_has_twenty_of_each_and_stays_a_comment() -> None:
    many = [who(f"key-{number:02}") for number in range(25)]
    lines = listed(*many, who('a\nrules: [x]\u2028"', '{"app":"web","tier":"x"}'))
    assert lines[0] == "#   cluster: c"
    assert r'#   owner_key: "a\nrules: [x]\u2028\"", key-00' in lines[1]
    assert "key-18," in lines[-3] and lines[-2].endswith("and 6 more")
    assert lines[-1] == "#   label: app, tier"
    assert all(line.startswith("#") and len(line) <= 110 for line in lines)


def test_folder_is_made_with_those_above_it(tmp_path: Path) -> None:
    write_folder(tmp_path / "deep" / "terms", starter_files(()))
    assert len(list((tmp_path / "deep" / "terms").iterdir())) == len(FILES)


def test_map_is_guessed_on_the_way(desktop: Desktop) -> None:
    code, out, _ = desktop.type("init", "--map-for", "jobs.csv")
    assert code == 0 and "a guess of the map" in out
    assert (desktop.folder / "jobs.map.yaml").exists()
    assert (desktop.folder / "terms" / "teams.yaml").exists()


def test_map_that_cannot_be_guessed_ends_it_and_no_folder_is_written(desktop: Desktop) -> None:
    assert desktop.type("init", "--map-for", "absent.csv")[0] == 3
    assert not (desktop.folder / "terms").exists()
