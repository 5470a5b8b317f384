"""The HTTP service: `api` answers programs with JSON or Markdown, `pages` answers people with HTML.

`service` holds what requests share, `requests` reads bodies, `responses` chooses and sends representations,
`problems` turns errors into problem documents, and `lane` limits how many large pastes are processed at once.
May import every package below it (`chat`, `reporters`, `lookup`, `knowledge`, `records`, `reading`), but not `run`.
"""
