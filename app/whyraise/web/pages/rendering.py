"""The templates: every value that they show is escaped, and made visible before."""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path
from typing import Any

from fastapi import Response
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup, escape
from starlette.staticfiles import StaticFiles

from whyraise.safe_text import visible
from whyraise.version import VERSION

STATIC, TEMPLATES = Path(__file__).parent / "static", Path(__file__).parent / "templates"


def render(template: str, *, status: int = 200, **values: object) -> Response:
    """Return a template as a response that nobody keeps; templates see the status too."""
    page = _environment().get_template(template).render(values, status=status)
    headers = {"Cache-Control": "no-store"}
    return Response(page.encode("utf-8", "replace"), status, headers, "text/html")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("whyraise.web.pages"),
        autoescape=select_autoescape(default=True),
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals.update(static=_address, version=VERSION)
    environment.filters.update(ticked=_ticked, unruled=_unruled)
    return environment


def _finalize(value: object) -> object:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _ticked(text: str) -> Markup:
    """Return our own words with what stands between backticks as code."""
    parts = [escape(visible(part)) for part in text.split("`")]
    return Markup("").join(Markup("<code>{}</code>").format(each) if n % 2 else each for n, each in enumerate(parts))


def _unruled(text: str) -> str:
    """Return a message as one line without the rules that programs draw in it."""
    return " ".join(re.sub(r"([=*_-])\1{5,}", " ", text).split())


@cache
def _address(name: str) -> str:
    """Return where a static file is served; the address changes with what is in it."""
    return f"/static/{name}?v={hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:12]}"


@cache
def look() -> str:
    """Return a digest of all that makes the look of pages: templates and static files."""
    parts = [path.read_bytes() for folder in (STATIC, TEMPLATES) for path in sorted(folder.iterdir()) if path.is_file()]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:12]


class Files(StaticFiles):
    """The static files; under an address that names its content a file never changes."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        """Return a file, to be kept for ever."""
        response = super().file_response(*args, **kwargs)
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return response


def files() -> Files:
    """Return the app that serves the static files."""
    return Files(directory=STATIC)
