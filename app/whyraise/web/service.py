"""What the requests share: what is known, the settings and the limit on large pastes."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from fastapi import Depends, Request

from whyraise.ask.knowledge import Knowledge
from whyraise.knowledge.catalog import Catalog
from whyraise.settings import Settings
from whyraise.web.lane import Lane


class Service(NamedTuple):
    """What the requests of one process share."""

    knowledge: Knowledge
    settings: Settings
    lane: Lane

    @property
    def catalog(self) -> Catalog:
        """All that is known by now."""
        return self.knowledge.catalog()


def service_of(request: Request) -> Service:
    """Return the service of the app that received a request."""
    service: Service = request.app.state.service
    return service


ServiceDep = Annotated[Service, Depends(service_of)]
