import type { ErrorRequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { isDatabaseUnavailable } from '../db/database-unavailable.js';
import { ApiError } from './api-error.js';
import { discardBody } from './discard-body.js';
import { statusOf } from './error-codes.js';
import { InvalidInput } from './validation/invalid-input.js';

/** Answers whatever a route throws; an answer that was begun is cut off, never ended as if whole. */
export function errorHandler(log: Logger): ErrorRequestHandler {
  // Express knows an error handler by its four parameters.
  return async (error: unknown, request, response, _next) => {
    const requestLog: Logger = response.locals.log ?? log;
    if (response.headersSent) {
      if (!response.writableFinished && !request.destroyed) {
        requestLog.error({ err: error }, 'answer cut off by a fault');
      }
      response.destroy();
      return;
    }
    await discardBody(request);
    if (error instanceof InvalidInput) {
      response.status(422).json({ detail: error.faults });
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
      requestLog.warn({ err: error }, 'request failed without its database');
      sendApiError(response, databaseAway());
      return;
    }
    if (request.destroyed && !request.complete) return; // the client went; nobody reads an answer
    requestLog.error({ err: error }, 'request failed');
    sendApiError(response, new ApiError('INTERNAL_ERROR', 'Something went wrong on our side'));
  };
}

function databaseAway(): ApiError {
  const message = 'The database cannot be reached at the moment: try again in a second';
  return new ApiError('OVERLOADED', message, { retryAfterS: 1 });
}

/** Express could not decode a path's `%` escapes, so it can name nothing. */
function isUndecodablePath(error: unknown): boolean {
  return error instanceof URIError;
}

/** Writes the error body of the contract, with its status and headers. */
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
