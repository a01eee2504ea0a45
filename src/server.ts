import type { IncomingMessage } from 'node:http';
import { fileURLToPath } from 'node:url';
import express, { type Express, type RequestHandler, Router } from 'express';
import helmet from 'helmet';
import type { Logger } from 'pino';
import { docsSiteRouter } from './platform/http/docs-site.router.js';
import { errorHandler } from './platform/http/error-handler.js';
import { openApiRouter } from './platform/http/openapi/openapi.router.js';
import { openApiDocument } from './platform/http/openapi/openapi-document.js';
import { requestContext } from './platform/http/request-context.js';
import type { Route } from './platform/http/route.js';
import {
  methodNotAllowed,
  mountRoutes,
  notFound,
  type RouteServices,
} from './platform/http/router.js';
import { type HealthPart, healthRouter } from './platform/observability/health.js';
import type { Metrics } from './platform/observability/metrics.js';
import { metricsRouter } from './platform/observability/metrics.router.js';

export interface AppParts extends RouteServices {
  readonly log: Logger;
  readonly metrics: Metrics;
  /** With this bearer token, clients of other machines can read `/metrics`. */
  readonly metricsToken?: string | undefined;
  /** Everything below `/api/v1`. */
  readonly routes: readonly Route[];
  /** Handlers outside of `/api/v1`: webhooks of carriers and of LiveKit. */
  readonly carrierWebhooks?: readonly RequestHandler[];
  readonly health: readonly HealthPart[];
  readonly trustProxy: boolean | number | readonly string[];
  readonly publicUrl?: string | undefined;
}

/** Written by `npm run docs:build`. */
const HELP_SITE = new URL('../../docs/.vitepress/dist', import.meta.url);
/** The version of the API, not of this program. */
const API_VERSION = '1.5.0';
/** Paths outside of the route table. They accept GET only. */
const ROOT_PATHS = /^\/((openapi\.json|docs|healthz|readyz|metrics)\/?)?$/;

/** The HTTP application: middleware, the route table, health, metrics, the OpenAPI document and the console. */
export function createApp(parts: AppParts): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.set('trust proxy', parts.trustProxy);
  app.use(requestContext(parts.log, parts.metrics.observeHttp));
  app.use(securityHeaders(parts.publicUrl));
  app.use('/api/v1', noStore);
  app.use('/api/v1', mountRoutes(parts.routes, parts));
  for (const webhooks of parts.carrierWebhooks ?? []) app.use(webhooks);
  app.use(healthRouter(parts.health));
  app.use(metricsRouter({ ...parts, token: parts.metricsToken }));
  app.use(openApiRouter(describeApi(parts)));
  app.use(docsSiteRouter(fileURLToPath(HELP_SITE)));
  app.use(
    consoleRouter({
      console: fileURLToPath(new URL('web', import.meta.url)),
      media: fileURLToPath(new URL('../media', import.meta.url)),
      publicUrl: parts.publicUrl,
    }),
  );
  app.use((request) => {
    throw ROOT_PATHS.test(request.path) ? methodNotAllowed(['GET']) : notFound();
  });
  app.use(errorHandler(parts.log));
  return app;
}

/** Responses belong to one account, so caches must not store them unless a route allows it. */
const noStore: RequestHandler = (_request, response, next) => {
  response.set('Cache-Control', 'no-store');
  next();
};

/** Finds the IP address of a WebSocket client by TRUST_PROXY, as Express does for routes. */
export function addressIn(app: Express): (request: IncomingMessage) => string {
  return ({ headers, socket }) => {
    const request: express.Request = Object.create(app.request, {
      headers: { value: headers },
      socket: { value: socket },
    });
    return request.ip ?? '';
  };
}

function describeApi({ routes, publicUrl }: AppParts) {
  return openApiDocument(routes, {
    title: 'Parley',
    version: API_VERSION,
    description: 'Streaming speech and live voice agents on your own machine.',
    ...(publicUrl === undefined ? {} : { serverUrl: publicUrl }),
  });
}

/** API responses load nothing and cannot be framed. The console sets its own policy. */
function securityHeaders(publicUrl: string | undefined) {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    // Only valid on a site that is served over TLS.
    strictTransportSecurity: publicUrl?.startsWith('https:') === true,
    // Pages of other origins fetch downloads through signed links.
    crossOriginResourcePolicy: { policy: 'cross-origin' },
  });
}

/** The console loads everything from this server and plays audio from memory. */
function contentSecurityPolicy(connectSources: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src ${connectSources}`,
    "media-src 'self' blob:",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Host of a URL: a name or an address, with or without a port. */
const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i;

/**
 * The console connects to its own host. Sockets are listed, because some browsers do not count them as
 * 'self'. A proxy may change the header Host, so the host of PUBLIC_URL is listed, too.
 */
function connectSources({ host }: express.Request, publicUrl: string | undefined): string {
  const hosts = new Set([host, publicUrl && new URL(publicUrl).host]);
  const sockets = [...hosts]
    .filter((name): name is string => name !== undefined && HOST.test(name))
    .flatMap((name) => [`ws://${name}`, `wss://${name}`]);
  return ["'self'", ...sockets].join(' ');
}

/** The compiled modules of `media` that the console imports; no others are served. */
const MEDIA_MODULES = /^\/(errors|audio\/(resampler|filter-bank|fir-kernel|web-assembly))\.js$/;

export interface ConsoleFolders {
  /** The files of the console, served unchanged. */
  readonly console: string;
  /** The compiled `media`. */
  readonly media: string;
  /** PUBLIC_URL. */
  readonly publicUrl?: string | undefined;
}

/** Serves the console at `/`. */
export function consoleRouter(folders: ConsoleFolders): Router {
  const router = Router({ caseSensitive: true });
  const { publicUrl } = folders;
  const media = files(folders.media, publicUrl);
  router.use('/media', (request, response, next) => {
    if (MEDIA_MODULES.test(request.path)) media(request, response, next);
    else next();
  });
  router.use(files(folders.console, publicUrl));
  return router;
}

function files(folder: string, publicUrl: string | undefined): express.Handler {
  return express.static(folder, {
    redirect: false,
    maxAge: 0,
    setHeaders: (response) => {
      const { req: request, locals } = response as express.Response;
      locals.route = 'page';
      const policy = contentSecurityPolicy(connectSources(request, publicUrl));
      response.setHeader('Content-Security-Policy', policy);
      response.setHeader('Cache-Control', 'no-cache');
    },
  });
}
