"""Renders the templates: every value is escaped, and hidden characters are made visible."""

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
    """Render a template as a response that must not be cached; the template also gets the status."""
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
    environment.globals.update(static=_static_url, version=VERSION)
    environment.filters.update(code_spans=_code_spans, without_rulers=_without_rulers)
    return environment


def _finalize(value: object) -> object:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _code_spans(text: str) -> Markup:
    """Return a text of ours as HTML, with the parts between backticks as code."""
    parts = [escape(visible(part)) for part in text.split("`")]
    return Markup("").join(Markup("<code>{}</code>").format(part) if n % 2 else part for n, part in enumerate(parts))


def _without_rulers(text: str) -> str:
    """Return a message as one line, without rulers such as `=====`."""
    return " ".join(re.sub(r"([=*_-])\1{5,}", " ", text).split())


@cache
def _static_url(name: str) -> str:
    """Return the URL of a static file; it contains a hash of the file, so it changes when the file does."""
    return f"/static/{name}?v={hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:12]}"


@cache
def assets_digest() -> str:
    """Return a digest of the templates and static files: cached pages are out of date when it changes."""
    paths = [path for folder in (STATIC, TEMPLATES) for path in sorted(folder.iterdir()) if path.is_file()]
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in paths)).hexdigest()[:12]


class _StaticFiles(StaticFiles):
    """The static files. Their URLs contain a hash, so the file at a URL never changes."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        """Return a file that may be cached forever."""
        response = super().file_response(*args, **kwargs)
        response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return response


def static_files() -> StaticFiles:
    """Return the app that serves the static files."""
    return _StaticFiles(directory=STATIC)
