"""Whyraise: paste any error, get the known error behind it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def load_ipython_extension(shell: Any) -> None:
    """Add to each error at a prompt of IPython or Jupyter what is known of it; called by `%load_ext whyraise`."""
    from whyraise.hooks import Prompt  # noqa: PLC0415  # nobody else needs it

    shell.whyraise_prompt = Prompt(shell)


def unload_ipython_extension(shell: Any) -> None:
    """Put back the handler of before; called by `%unload_ext whyraise`."""
    shell.whyraise_prompt.remove()
