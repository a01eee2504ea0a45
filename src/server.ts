import type { IncomingMessage } from 'node:http';
import { fileURLToPath } from 'node:url';
import express, { type Express, type RequestHandler } from 'express';
import helmet from 'helmet';
import type { Logger } from 'pino';
import { pageRoutes } from './page.routes.js';
import { errorHandler } from './platform/http/error-handler.js';
import { helpRoutes } from './platform/http/help.routes.js';
import { openApiRoutes } from './platform/http/openapi/openapi.routes.js';
import { openApiDocument } from './platform/http/openapi/openapi-document.js';
import { requestContext } from './platform/http/request-context.js';
import type { Route } from './platform/http/route.js';
import {
  methodNotAllowed,
  mountRoutes,
  notFound,
  type RouteServices,
} from './platform/http/router.js';
import { type HealthPart, healthRoutes } from './platform/observability/health.js';
import type { Metrics } from './platform/observability/metrics.js';
import { metricsRoutes } from './platform/observability/metrics.routes.js';

export interface AppParts extends RouteServices {
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Lets clients of other machines read `/metrics`. */
  readonly metricsToken?: string | undefined;
  /** Everything below `/api/v1`. */
  readonly routes: readonly Route[];
  /** What is served outside of it beside the pages: what others' servers call. */
  readonly roots?: readonly RequestHandler[];
  readonly health: readonly HealthPart[];
  readonly trustProxy: boolean | number | readonly string[];
  readonly publicUrl?: string | undefined;
}

/** Written by `npm run docs:build`. */
const HELP_SITE = new URL('../../docs/.vitepress/dist', import.meta.url);
/** The version of the interface, not of this program. */
const API_VERSION = '1.5.0';
/** What is served outside of the table; it can only be read. */
const ROOT_PATHS = /^\/((openapi\.json|docs|healthz|readyz|metrics)\/?)?$/;

/** Puts the HTTP side together: what all requests pass, the table's routes, and the pages. */
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
  for (const root of parts.roots ?? []) app.use(root);
  app.use(healthRoutes(parts.health));
  app.use(metricsRoutes({ ...parts, token: parts.metricsToken }));
  app.use(openApiRoutes(describeApi(parts)));
  app.use(helpRoutes(fileURLToPath(HELP_SITE)));
  app.use(
    pageRoutes({
      page: fileURLToPath(new URL('web', import.meta.url)),
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

/** Answers hold what one account may read: no cache keeps them, unless a route says otherwise. */
const noStore: RequestHandler = (_request, response, next) => {
  response.set('Cache-Control', 'no-store');
  next();
};

/** The address of a client that asks for a socket, found as routes find it: by TRUST_PROXY. */
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
    description: 'Streaming speech and live voice agents, on your own machine.',
    ...(publicUrl === undefined ? {} : { serverUrl: publicUrl }),
  });
}

/** Answers of the API load nothing and are framed by nobody; pages relax this for themselves. */
function securityHeaders(publicUrl: string | undefined) {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    // Only who is reached by TLS may ask browsers to insist on it.
    strictTransportSecurity: publicUrl?.startsWith('https:') === true,
    // Downloads are fetched by pages of other origins through signed links.
    crossOriginResourcePolicy: { policy: 'cross-origin' },
  });
}
