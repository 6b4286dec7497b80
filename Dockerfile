# syntax=docker/dockerfile:1
FROM node:24-bookworm-slim AS web
WORKDIR /opt/web
COPY web/package.json web/package-lock.json web/.npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY web/ ./

FROM python:3.11-slim-bookworm AS build
WORKDIR /src
COPY requirements/run.txt requirements/
RUN python -m venv /opt/gateway && /opt/gateway/bin/pip install --no-cache-dir --require-hashes -r requirements/run.txt
COPY pyproject.toml README.md ./
COPY gateway/ gateway/
COPY resolvers/ resolvers/
COPY schema/ schema/
RUN /opt/gateway/bin/pip install --no-cache-dir --no-build-isolation --no-deps .

FROM python:3.11-slim-bookworm
COPY --from=build /opt/gateway /opt/gateway
COPY --from=web /opt/web /opt/web
# The root may be read-only: everything is compiled, and nothing is written.
ENV PATH=/opt/gateway/bin:$PATH PYTHONDONTWRITEBYTECODE=1 GPU_GATEWAY_WEB=/opt/web
USER 65532:65532
EXPOSE 8000
# The gateway listens on loopback until it can be told who may ask: put what forwards to it into the same pod.
ENTRYPOINT ["gpu-gateway"]
CMD ["serve"]
