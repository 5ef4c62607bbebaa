"""Where each setting comes from: a flag, else the environment, else the settings file, else its default.

This is the only module that needs pydantic-settings; it is imported when a command opens its session.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, get_type_hints

from pydantic import AfterValidator, ValidationError, create_model
from pydantic_settings import BaseSettings, InitSettingsSource, PydanticBaseSettingsSource

from gpuledger.errors import Place, SettingsError
from gpuledger.home import find_home
from gpuledger.settings import SETTINGS, Refused, Setting, Settings, nearest
from gpuledger.text_files import read_text

__all__ = ["Sourced", "load"]

_BY_NAME = {setting.name: setting for setting in SETTINGS}
_FOR_TESTS = {"GPULEDGER_REALDATA", "GPULEDGER_REQUIRE"}


@dataclass(frozen=True)
class Sourced:
    """The settings of one command, and for each by name the words that say where it comes from."""

    settings: Settings
    sources: Mapping[str, str]


@dataclass(frozen=True)
class _Layer:
    """The values that one source gives, by the settings' names."""

    kind: str
    values: Mapping[str, Any]
    file: Path | None = None

    def place(self, setting: Setting) -> Place:
        if self.file is not None:
            return Place(file=str(self.file), line=_line_of(self.file, setting.name))
        return Place(file=self.words(setting))

    def words(self, setting: Setting) -> str:
        if self.file is not None:
            return f"file {self.file}"
        return f"flag {setting.flag}" if self.kind == "flag" else f"environment {setting.variable}"


def load(flags: Mapping[str, str], *, environ: Mapping[str, str], cwd: Path) -> Sourced:
    """The settings for one command; `flags` holds the text of each flag given, by the setting's name.

    Raises SettingsError for a value or key that cannot be, and says where it was written.
    """
    flag = _Layer("flag", flags)
    environment = _Layer("environment", _environment(environ))
    named = _named_file([flag, environment], cwd)
    layers = [flag, environment, *([_file(named)] if named else [])]
    path, why = find_home(_asked_home(layers), cwd=cwd, environ=environ)
    if named is None and (path / "gpuledger.toml").is_file():
        layers.append(_homes_own_file(path / "gpuledger.toml"))
    settings = replace(_checked(layers), home=str(path), settings=str(layers[-1].file or ""))
    return Sourced(settings, _sources(layers, why))


def _environment(environ: Mapping[str, str]) -> dict[str, str]:
    known = {setting.variable: setting.name for setting in SETTINGS}
    for variable in sorted(set(environ) - known.keys() - _FOR_TESTS):
        # Kubernetes adds GPULEDGER_PORT and the like for a service of our name: only a slip is an error.
        close = variable.startswith("GPULEDGER_") and get_close_matches(variable, known, n=1, cutoff=0.93)
        if close:
            raise SettingsError(
                f"there is no setting {variable}",
                place=Place(file=f"environment {variable}"),
                mend=f"did you mean {close[0]}?",
            )
    return {name: environ[variable] for variable, name in known.items() if environ.get(variable)}


def _named_file(layers: list[_Layer], cwd: Path) -> Path | None:
    for layer in layers:
        if text := layer.values.get("settings"):
            path = cwd / str(text)
            if not path.is_file():
                raise SettingsError(
                    f"there is no settings file {path}",
                    place=layer.place(_BY_NAME["settings"]),
                    mend="name a file that exists, or leave it out",
                )
            return path
    return None


def _file(path: Path) -> _Layer:
    try:
        values = tomllib.loads(read_text(path, noun="settings file", error=SettingsError))
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(
            f"the settings file cannot be read: {error}",
            place=Place(file=str(path)),
            mend='write it as TOML: lines such as zone = "UTC"',
        ) from error
    known = [setting.name for setting in SETTINGS if setting.in_file]
    for key, value in values.items():
        place = Place(file=str(path), line=_line_of(path, key))
        if isinstance(value, dict):
            raise SettingsError(
                f"[{key}] is a section: it must be text or a whole number",
                place=place,
                mend="write each setting on a line of its own, at the top of the file",
            )
        if key not in known:
            close = nearest(key, known)
            mend = f"did you mean {close}?" if close else f"the settings are {', '.join(known)}"
            raise SettingsError(f"there is no setting {key!r}", place=place, mend=mend)
        if not isinstance(value, str | int) or isinstance(value, bool):
            raise SettingsError(
                f"{key} = {value!r}: it must be text or a whole number",
                place=place,
                mend=f'write {key} = "…", in quotes, or a whole number',
            )
    if home := values.get("home"):
        values["home"] = str(path.parent / str(home)) if not str(home).startswith("~") else home
    return _Layer("file", values, path)


def _homes_own_file(path: Path) -> _Layer:
    layer = _file(path)
    if "home" in layer.values:
        raise SettingsError(
            "the file in the home folder says where the home folder is",
            place=layer.place(_BY_NAME["home"]),
            mend="take home out of it; use --home, GPULEDGER_HOME or a file named with --settings",
        )
    return layer


def _line_of(path: Path, key: str) -> int | None:
    pattern = re.compile(rf"\s*\[*\s*[\"']?{re.escape(key)}\b")
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    return next((number for number, line in enumerate(lines, 1) if pattern.match(line)), None)


def _asked_home(layers: list[_Layer]) -> str:
    return next((str(layer.values["home"]) for layer in layers if layer.values.get("home")), "")


def _checked(layers: list[_Layer]) -> Settings:
    try:
        return Settings(**_model(layers)().model_dump())
    except ValidationError as error:
        raise _explained(error, layers) from error


def _model(layers: list[_Layer]) -> type[BaseSettings]:
    """A pydantic-settings model of `Settings` whose sources are the layers, first wins."""

    class Layered(BaseSettings):
        @classmethod
        def settings_customise_sources(
            cls, settings_cls: type[BaseSettings], *_: Any, **__: Any
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            return tuple(InitSettingsSource(settings_cls, dict(layer.values)) for layer in layers)

    hints = get_type_hints(Settings)
    fields: dict[str, Any] = {
        one.name: (
            Annotated[hints[one.name], AfterValidator(one.check)] if one.check else hints[one.name],
            one.default,
        )
        for one in SETTINGS
    }
    return create_model("Layered", __base__=Layered, **fields)


def _explained(error: ValidationError, layers: list[_Layer]) -> SettingsError:
    first = error.errors()[0]
    setting = _BY_NAME[str(first["loc"][0])]
    layer = next(layer for layer in layers if setting.name in layer.values)
    cause = first.get("ctx", {}).get("error")
    reason = str(cause) if isinstance(cause, Refused) else first["msg"][:1].lower() + first["msg"][1:]
    return SettingsError(
        f"{setting.name} = {layer.values[setting.name]!r}: {reason}",
        place=layer.place(setting),
        mend=cause.mend if isinstance(cause, Refused) else f"{setting.name}: {setting.help}",
    )


def _sources(layers: list[_Layer], why_home: str) -> dict[str, str]:
    def source(setting: Setting) -> str:
        found = next((layer for layer in layers if setting.name in layer.values), None)
        return found.words(setting) if found else "default"

    sources = {setting.name: source(setting) for setting in SETTINGS}
    if why_home:
        sources["home"] = f"default: {why_home}"
    return sources
