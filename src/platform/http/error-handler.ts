import type { IncomingMessage } from 'node:http';
import type { ErrorRequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { isDatabaseUnavailable } from '../db/database-unavailable.js';
import { ApiError } from './api-error.js';
import { statusOf } from './error-codes.js';
import { InvalidInput } from './validation/invalid-input.js';

/** Limits of `discardBody`. */
const MAX_DISCARD_BYTES = 16 * 1024 * 1024;
const MAX_DISCARD_MS = 3_000;

/** Responds with the error of a route. If the response has begun, the connection is closed, so that it does not seem complete. */
export function errorHandler(log: Logger): ErrorRequestHandler {
  // Express recognises an error handler by its four parameters.
  return async (error: unknown, request, response, _next) => {
    const requestLog: Logger = response.locals.log ?? log;
    if (response.headersSent) {
      if (!response.writableFinished && !request.destroyed) {
        requestLog.error({ err: error }, 'A response was cut off by an error');
      }
      response.destroy();
      return;
    }
    await discardBody(request);
    if (error instanceof InvalidInput) {
      response.status(422).json({ detail: error.errors });
      return;
    }
    if (error instanceof ApiError && error.code !== 'INTERNAL_ERROR') {
      sendApiError(response, error);
      return;
    }
    if (isUndecodablePath(error)) {
      sendApiError(response, new ApiError('NOT_FOUND', 'There is nothing at this path'));
      return;
    }
    if (isDatabaseUnavailable(error)) {
      requestLog.warn({ err: error }, 'A request failed, because the database is unavailable');
      sendApiError(response, databaseUnavailable());
      return;
    }
    if (request.destroyed && !request.complete) return; // The client has disconnected.
    requestLog.error({ err: error }, 'A request failed');
    sendApiError(response, new ApiError('INTERNAL_ERROR', 'Something went wrong on our side'));
  };
}

function databaseUnavailable(): ApiError {
  const message = 'The database is unavailable: try again in a second';
  return new ApiError('OVERLOADED', message, { retryAfterS: 1 });
}

/** Whether Express could not decode the `%` escapes of the path. Such a path does not exist. */
function isUndecodablePath(error: unknown): boolean {
  return error instanceof URIError;
}

/** Sends the error body of the contract with its status and headers. */
function sendApiError(response: Response, error: ApiError): void {
  response.status(statusOf(error.code));
  if (error.retryAfterS !== undefined) {
    response.set('Retry-After', String(Math.max(1, Math.ceil(error.retryAfterS))));
  }
  response.set(error.headers);
  response.json(errorBody(error));
}

/** The error body of the contract. */
export function errorBody(error: ApiError): Record<string, unknown> {
  return { ...error.fields, error: error.message, detail: error.detail, code: error.code };
}

/**
 * Reads and drops the rest of a request's body, within limits. Many clients read the response only
 * after they have sent the whole body. If the connection closes earlier, they report a broken pipe
 * instead of the error.
 */
function discardBody(request: IncomingMessage): Promise<void> {
  const { headers } = request;
  const declared = Number(headers['content-length'] ?? 0);
  const hasBody = declared > 0 || headers['transfer-encoding'] !== undefined;
  if (!hasBody || request.complete || request.destroyed) return Promise.resolve();
  if (declared > MAX_DISCARD_BYTES) return Promise.resolve();
  return new Promise((resolve) => {
    let length = 0;
    const count = (part: Buffer) => {
      length += part.length;
      if (length > MAX_DISCARD_BYTES) done();
    };
    const timer = setTimeout(done, MAX_DISCARD_MS);
    function done(): void {
      clearTimeout(timer);
      request.off('data', count).off('end', done).off('close', done);
      resolve();
    }
    request.on('data', count).on('end', done).on('close', done);
    request.resume();
  });
}
