# syntax=docker/dockerfile:1
# One image for the API and the worker. The API is the default; a worker is the same image with the command
#   node --enable-source-maps dist/worker.js

FROM node:22.23.3-slim AS build
WORKDIR /app
COPY package.json package-lock.json tsconfig.json tsconfig.build.json worker.ts ./
COPY scripts scripts
COPY src src
COPY web web
# Packages by `npm ci`, then the build: the set-up that `npm start` uses, without a Temporal server.
RUN --mount=type=cache,target=/npm npm_config_cache=/npm node scripts/setup.mjs --no-server
# The workflow bundle takes webpack seconds. Made here, with and without encryption, a worker starts without it and writes nothing.
RUN node -e "const { buildWorkflowBundle } = require('./dist/src/infra/temporal/workflow-bundle.js'); \
  buildWorkflowBundle('/app/dist').then(() => buildWorkflowBundle('/app/dist', []))"
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund
# Temporal's core comes for five platforms, 27 MB each; this image is one of them.
RUN find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 \
  ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -r {} + \
  && rm -r node_modules/@temporalio/core-bridge/sdk-core
# What only compilers and people read: a quarter of the packages.
RUN find node_modules -type f \( -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.map' -o -name '*.md' \) -delete

FROM node:22.23.3-slim
# Temporal's Rust core looks for the system's certificates when TEMPORAL_TLS or TEMPORAL_API_KEY is set.
# hadolint ignore=DL3008
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY agents agents
# API and worker keep one file here, unless PARLEY_SECRET is set: the secret behind links, signatures and idempotency keys.
ENV NODE_ENV=production PARLEY_DATA=/data
RUN mkdir /data && chown 1000:1000 /data
VOLUME /data
# The user node, as a number: so Kubernetes sees that it is not root.
USER 1000:1000
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Node itself is process 1, so SIGTERM reaches Parley and it stops in order.
CMD ["node", "--enable-source-maps", "dist/src/api/main.js"]
