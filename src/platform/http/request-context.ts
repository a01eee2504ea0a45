import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';

const REQUEST_ID = /^[\w.:-]{1,128}$/;

/** Receives every response: the pattern of its route (never the path itself) and its duration. */
export type HttpObserver = (
  method: string,
  route: string,
  status: number,
  durationMs: number,
) => void;

/** The valid `X-Request-Id` of the client, or a new id. */
export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/** Assigns an id and a log to each request, and reports its end. */
export function requestContext(log: Logger, observe: HttpObserver): RequestHandler {
  return (request, response, next) => {
    const startedAt = performance.now();
    const requestId = requestIdOf(request);
    const requestLog = log.child({ requestId });
    response.locals.requestId = requestId;
    response.locals.log = requestLog;
    response.set('X-Request-Id', requestId);
    response.once('close', () => {
      const durationMs = performance.now() - startedAt;
      const route: string = response.locals.route ?? 'unmatched';
      observe(request.method, route, response.statusCode, durationMs);
      requestLog.info(
        {
          method: request.method,
          route,
          status: response.statusCode,
          durationMs: Math.round(durationMs),
          isComplete: response.writableFinished,
        },
        'request',
      );
    });
    next();
  };
}
