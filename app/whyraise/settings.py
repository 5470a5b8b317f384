"""All settings. `main`, `cli` and the pytest plugin read them once from the environment and pass them on."""

from __future__ import annotations

from collections.abc import Mapping

from whyraise.cache_folder import cache_folder
from whyraise.errors import BadInput
from whyraise.namedtuples import NamedTuple

PREFIX = "WHYRAISE_"


class Settings(NamedTuple):
    """All settings; the setting `max_findings` is read from the environment variable `WHYRAISE_MAX_FINDINGS`, etc."""

    sources: str = ""  # Records to serve, separated by the path separator; empty: the bundled ones.
    only: int = 0  # 1: look up in `sources` alone, without the bundled records and those mined from packages.
    mute: str = ""  # Ids of records that are not shown, separated by commas.
    cache_dir: str = ""  # Folder for knowledge files and match indexes; empty: the user's cache folder.
    max_body_bytes: int = 16 * 1024 * 1024  # Maximum request body of explain and explain:batch.
    max_batch_texts: int = 100  # Maximum number of texts in one explain:batch.
    large_paste_bytes: int = 256 * 1024  # A larger paste waits in a separate queue.
    large_paste_queue: int = 8  # Maximum number of waiting large pastes; the next one gets status 503.
    mine: str = "all"  # Packages to mine: all (that are installed), comma-separated names, or off.
    max_tool_bytes: int = 2 * 1024 * 1024  # Maximum request body of a tool call, over MCP or plain HTTP.
    mcp_hosts: str = "127.0.0.1,localhost,[::1]"  # Comma-separated hosts that /mcp answers to, on any port.
    mcp_origins: str = "http://127.0.0.1,http://localhost,http://[::1]"  # Web pages that may call /mcp, from any port.
    public_url: str = ""  # Prefix of permanent addresses, as https://errors.example.org; empty: only their path.
    max_findings: int = 10  # Default number of findings in an answer.
    report_url: str = ""  # Where the page sends reports of wrong or missing records; empty: nowhere.

    def grows(self) -> bool:
        """Return whether packages are mined: mining is on, and the bundled records have not been replaced."""
        return (self.mine == "all" or bool(self.mined_names())) and not self.only

    def mines(self, package: str) -> bool:
        """Return whether the package with this name, or `stdlib`, is mined."""
        return self.mine == "all" or package.lower() in [name.lower() for name in self.mined_names()]

    def mined_names(self) -> list[str]:
        """Return the names in `mine`; empty if it is off."""
        return [name.strip() for name in self.mine.split(",") if name.strip() not in ("", "off")]

    def cache(self) -> str:
        """Return the cache folder: the one that is set, or else the user's."""
        return cache_folder(self.cache_dir)


def from_environment(environment: Mapping[str, str]) -> Settings:
    """Read the settings; raise `BadInput` if a number is invalid or negative."""
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
