"""Every response confines what a browser may do with it."""

from __future__ import annotations

from starlette.responses import PlainTextResponse

from tests.support.http import serve
from whyraise.web.pages.confine import BrowserMiddleware


def policy() -> dict[str, str]:
    """Return the content security policy of a response, as sources by directive."""
    header = serve(BrowserMiddleware(PlainTextResponse("text"))).get("/").headers["content-security-policy"]
    directives = [directive.strip().partition(" ") for directive in header.split(";")]
    assert len({name for name, _, _ in directives}) == len(directives)  # browsers ignore a repeated directive
    return {name: sources for name, _, sources in directives}


def test_pages_load_only_what_this_service_serves() -> None:
    assert {name: sources for name, sources in policy().items() if "-src" in name} == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self'",
        "connect-src": "'self'",
    }


def test_no_other_page_can_show_a_page_in_a_frame() -> None:
    assert policy()["frame-ancestors"] == "'none'"


def test_forms_are_sent_only_to_this_service_and_no_base_url_redirects_them() -> None:
    directives = policy()
    assert (directives["form-action"], directives["base-uri"]) == ("'self'", "'none'")


def test_scripts_create_html_only_through_the_policy_of_the_page() -> None:
    directives = policy()
    assert (directives["require-trusted-types-for"], directives["trusted-types"]) == ("'script'", "whyraise")


def test_media_types_are_not_guessed_and_other_sites_learn_nothing() -> None:
    headers = serve(BrowserMiddleware(PlainTextResponse("text"))).get("/").headers
    expected = {
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
    }
    assert {name: headers[name] for name in expected} == expected
