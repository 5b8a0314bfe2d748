# syntax=docker/dockerfile:1.7
# The service as an image: docker build -t market . && docker run -p 8080:8080 market gateway
# The first argument is the role; see docs/kubernetes.md.

# Named once, as Dependabot reads it: it sees no image that an argument names. With a digest after the tag it keeps both.
FROM node:24.21.0-bookworm-slim AS base

# No package runs a script of its own: what is native comes prebuilt in the packages.
FROM base AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts
COPY tsconfig.json README.md CONTRIBUTING.md CHANGELOG.md ./
COPY scripts/build-service.ts scripts/commit-of.ts scripts/digest-of.ts scripts/service-files.ts ./scripts/
COPY src ./src
COPY clients ./clients
COPY console ./console
COPY demo ./demo
COPY docs ./docs
COPY guide ./guide
# The commit that is built, which `market --version` names: --build-arg COMMIT=$(git rev-parse HEAD)
ARG COMMIT=unknown
RUN MARKET_COMMIT="$COMMIT" npm run build

FROM base AS modules
# false: without chDB, whose engine is most of the image, for roles whose history is in ClickHouse.
ARG CHDB=true
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY deploy/drop-unverified.js ./deploy/
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts --omit=dev \
  && node deploy/drop-unverified.js \
  && if [ "$CHDB" = false ]; then rm -rf node_modules/chdb node_modules/@chdb; fi

FROM base
LABEL org.opencontainers.image.title="market" \
  org.opencontainers.image.description="Keeps every Bitcoin sale order verified, and says what it proved and when" \
  org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 METRICS_PORT=9464 DATA_DIR=/data
WORKDIR /app
COPY --from=modules /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json ./
COPY --chmod=755 deploy/entrypoint /usr/local/bin/market
# Of the image's own user `node`, by number: Kubernetes proves from it that this is not root.
RUN install --directory --owner=1000 --group=1000 /data
USER 1000:1000
VOLUME /data
EXPOSE 8080 9464
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/livez`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["market"]
CMD ["all"]
