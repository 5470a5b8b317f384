# The service with the bundled records, as a non-root user; runs with a read-only root file system and a /tmp.
ARG BASE=python:3.11-slim-bookworm

# hadolint ignore=DL3006
FROM ${BASE} AS build
WORKDIR /src
COPY requirements.lock ./
RUN python -m venv /opt/venv \
    && /opt/venv/bin/pip install --no-cache-dir --require-hashes --no-deps -r requirements.lock
COPY pyproject.toml README.md LICENSE NOTICE ./
COPY app app
COPY records records
# The knowledge file is built with the image, so that a start costs nothing.
RUN /opt/venv/bin/pip install --no-cache-dir --no-build-isolation --no-deps . \
    && /opt/venv/bin/whyraise build /opt/venv/lib/python3*/site-packages/whyraise/_records -o /opt/records.db

# hadolint ignore=DL3006
FROM ${BASE}
COPY --from=build /opt/venv /opt/venv
COPY --from=build /opt/records.db /opt/records.db
ENV PATH=/opt/venv/bin:$PATH WHYRAISE_CACHE_DIR=/tmp/whyraise WHYRAISE_SOURCES=/opt/records.db WHYRAISE_ONLY=1
USER 10001:10001
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8000/livez', timeout=3)"]
ENTRYPOINT ["whyraise", "serve", "--host", "0.0.0.0", "--port", "8000"]
