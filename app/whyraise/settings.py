"""Every setting, read once from the environment by `main` and `cli` and passed on as a value."""

from __future__ import annotations

import os
from collections.abc import Mapping

from whyraise.errors import BadInput
from whyraise.namedtuples import NamedTuple

PREFIX = "WHYRAISE_"


class Settings(NamedTuple):
    """All settings; each is read from the environment variable of its name in capitals, after `WHYRAISE_`."""

    sources: str = ""  # Records to serve, separated by the path separator; empty: the bundled ones.
    cache_dir: str = ""  # Folder for built knowledge files and match indexes; empty: the user's cache folder.
    max_body_bytes: int = 16 * 1024 * 1024  # Largest body of explain and explain:batch.
    max_batch_texts: int = 100  # Most texts in one explain:batch.
    large_paste_bytes: int = 256 * 1024  # Above this a paste waits in a lane of its own.
    large_paste_queue: int = 8  # Large pastes that may wait; one more is answered 503.
    mine: str = "all"  # What is mined beside the bundled records: all that is installed, names with commas, or off.
    max_tool_bytes: int = 2 * 1024 * 1024  # Largest body of a tool call, over MCP or not.
    mcp_hosts: str = "127.0.0.1,localhost,[::1]"  # Hosts that /mcp answers to, with commas; of each any port.
    mcp_origins: str = "http://127.0.0.1,http://localhost,http://[::1]"  # Web pages that may call /mcp, likewise.
    public_url: str = ""  # What permanent addresses begin with, as https://errors.example.org; empty: only their path.
    max_findings: int = 10  # Findings returned where the caller asks for no other number.
    report_url: str = ""  # Where the page sends people who report a wrong or missing record; empty: nowhere.

    def grows(self) -> bool:
        """Say whether anything is mined beside the records: where no others than the bundled ones were asked for."""
        return (self.mine == "all" or bool(self.mined_names())) and not self.sources

    def mines(self, package: str) -> bool:
        """Say whether a package is mined, by its name or `stdlib`."""
        return self.mine == "all" or package.lower() in [name.lower() for name in self.mined_names()]

    def mined_names(self) -> list[str]:
        """Return the packages that `mine` names; none where it is off."""
        return [name.strip() for name in self.mine.split(",") if name.strip() not in ("", "off")]

    def cache(self) -> str:
        """Return the cache folder, following the XDG base directory rules where none is set."""
        if self.cache_dir:
            return self.cache_dir
        base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
        return os.path.join(base, "whyraise")


def from_environment(environment: Mapping[str, str]) -> Settings:
    """Read the settings; raise `BadInput` where a number is none or negative."""
    values: dict[str, str | int] = {}
    for name, default in Settings()._asdict().items():
        text = environment.get(PREFIX + name.upper())
        if text is not None:
            values[name] = _whole_number(name, text) if isinstance(default, int) else text
    return Settings(**values)  # type: ignore[arg-type]  # the loop keeps each field's own type


def _whole_number(name: str, text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise BadInput(f"{PREFIX}{name.upper()} is {text!r}; give a whole number, 0 or more.")
    return int(text)
