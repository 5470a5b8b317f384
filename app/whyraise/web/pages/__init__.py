"""The HTML pages: `home` explains a paste, `records` shows records and the page about the service.

`answer_view` and `record_view` prepare the values for the templates, `highlight` marks a paste, `code` and `prose`
turn text of others into safe HTML, `report` and `redact` prepare what people send, `confine` sets security headers.
May import `reporters`, `lookup`, `knowledge`, `records`, `reading` and the modules of `web`, but not `web.api`.
"""
