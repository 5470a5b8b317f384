"""The HTTP API under `/v1`, the health checks and `/llms.txt`: one module for each group of operations.

`models` and `status_models` describe the bodies for the contract (openapi.yaml).
May import `chat`, `reporters`, `lookup`, `knowledge`, `records` and the modules of `web`, but not `web.pages`.
"""
