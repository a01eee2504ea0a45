import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Logger } from 'pino';
import { runInSteps } from '../../../media/async/cooperative.js';
import { hasLongList, stringifyInSteps } from '../../../media/async/incremental-json.js';
import { ApiError } from './api-error.js';
import { type Authenticator, bearerOf, requireScope, unauthorized } from './bearer-credentials.js';
import type { IdempotencyService } from './idempotency.js';
import { PathTemplate } from './path-template.js';
import type { RateLimiter } from './rate-limit.js';
import { type Principal, Reply, type Route, type RouteContext, SENT } from './route.js';
import { readInput } from './validation/validate-request.js';

/** The dependencies of all routes. */
export interface RouteServices {
  readonly authenticator: Authenticator;
  readonly limiter: RateLimiter;
  /** The limit of routes without `maxBodyBytes`. */
  readonly maxBodyBytes: number;
  /** Without it, `Idempotency-Key` is ignored. */
  readonly idempotency?: IdempotencyService;
}

/** Creates the Express routes of the table. Other paths and methods are answered with 404 and 405. */
export function mountRoutes(routes: readonly Route[], services: RouteServices): Router {
  const router = Router({ caseSensitive: true, strict: false });
  const entries = routes
    .map((route) => ({ route, template: new PathTemplate(route.path) }))
    .sort((left, right) => PathTemplate.compare(left.template, right.template));
  for (const path of new Set(entries.map(({ template }) => template.express))) {
    const entriesOfPath = entries.filter(({ template }) => template.express === path);
    const mounted = router.route(path);
    for (const { route } of entriesOfPath) {
      mounted[route.method](handlerOf(route, services));
      if (route.isForBrowsers) mounted.options(answerPreflight);
    }
    // Other methods of this path are 405. They must not match a less specific path: `/agent/init-agent` is
    // never an agent's id.
    mounted.all(() => {
      throw methodNotAllowed(entriesOfPath.map(({ route }) => route.method.toUpperCase()));
    });
  }
  router.use(() => {
    throw notFound();
  });
  return router;
}

/** The path does not exist. */
export function notFound(): ApiError {
  return new ApiError('NOT_FOUND', 'There is nothing at this path');
}

/** The path exists, with other methods. */
export function methodNotAllowed(methods: readonly string[]): ApiError {
  const all = new Set(methods);
  if (all.has('GET')) all.add('HEAD');
  const allowed = [...all].sort().join(', ');
  return new ApiError('METHOD_NOT_ALLOWED', `This path supports only ${allowed}`, {
    headers: { Allow: allowed },
  });
}

/** The handler that serves one route. The order of the checks is part of the contract. */
function handlerOf(route: Route, services: RouteServices): RequestHandler {
  return async (request, response) => {
    response.locals.route = `/api/v1${route.path}`;
    if (route.isForBrowsers) response.set('Access-Control-Allow-Origin', '*');
    const principal = await authenticate(route, services, request);
    requireScope(principal, route.scope);
    await services.limiter.countRequest(principal.accountId, response);
    const input = await readInput(request, {
      ...route,
      maxBodyBytes: route.maxBodyBytes ?? services.maxBodyBytes,
    });
    const context: RouteContext<unknown, unknown, unknown> = {
      ...input,
      principal,
      ifMatch: route.isConditional ? request.get('if-match') : undefined,
      requestId: response.locals.requestId as string,
      log: response.locals.log as Logger,
      signal: signalOf(response),
      req: request,
      res: response,
    };
    route.authorize?.(context);
    const work = () => route.handle(context);
    const { idempotency } = services;
    const outcome =
      idempotency && route.isIdempotent
        ? await idempotency.once(context, work, route.repeatPolicy)
        : await work();
    if (outcome !== SENT) await send(response, outcome);
  };
}

async function authenticate(
  route: Route,
  { authenticator, limiter }: RouteServices,
  request: Request,
): Promise<Principal> {
  const bearer = bearerOf(request);
  if (!route.credential && bearer === undefined) throw unauthorized('missing');
  const principal = route.credential
    ? await route.credential.check(request)
    : await authenticator.authenticate(bearer!);
  if (principal) return principal;
  await limiter.countFailedAuth(request.ip ?? '');
  throw unauthorized(route.credential?.kind ?? 'wrong');
}

/** Fires when the connection closes before the response is complete. */
function signalOf(response: Response): AbortSignal {
  const controller = new AbortController();
  const abortUnlessDone = () => {
    if (!response.writableFinished) controller.abort();
  };
  if (response.closed) abortUnlessDone();
  else response.once('close', abortUnlessDone);
  return controller.signal;
}

async function send(response: Response, outcome: unknown): Promise<void> {
  if (response.closed) return; // The client has disconnected.
  const { status, body, headers } = outcome instanceof Reply ? outcome : new Reply(200, outcome);
  response.status(status).set(headers);
  if (body === undefined) response.end();
  else if (!hasLongList(body)) response.json(body);
  else {
    const json = await runInSteps(stringifyInSteps(body));
    if (!response.closed) response.type('json').send(json);
  }
}

const answerPreflight: RequestHandler = (request, response) => {
  response.locals.route = 'preflight';
  response
    .status(204)
    .set({
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Methods': request.get('Access-Control-Request-Method') ?? 'GET',
      'Access-Control-Allow-Headers': 'Authorization, Content-Type, Idempotency-Key, X-Request-Id',
      'Access-Control-Max-Age': '600',
    })
    .end();
};
