import type { ErrorRequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { isDatabaseUnavailable } from '../db/database-unavailable.js';
import { ApiError, type ApiErrorCode, InvalidInput } from './api-error.js';
import { discardBody } from './discard-body.js';

/** The one place where codes become statuses. */
export const STATUS: Readonly<Record<ApiErrorCode, number>> = {
  BAD_REQUEST: 400,
  TEXT_TOO_LONG: 400,
  INVALID_PLS: 400,
  MODEL_LANGUAGE_MISMATCH: 400,
  VOICE_LANGUAGE_MISMATCH: 400,
  UNAUTHORIZED: 401,
  INSUFFICIENT_CREDITS: 402,
  FORBIDDEN: 403,
  CALL_VALIDATION_FAILED: 403,
  PHONE_NUMBER_LIMIT: 403,
  NOT_FOUND: 404,
  VOICE_NOT_FOUND: 404,
  VOICE_NOT_AVAILABLE: 404,
  DICTIONARY_NOT_FOUND: 404,
  DICTIONARY_VERSION_NOT_FOUND: 404,
  AGENT_NOT_FOUND: 404,
  API_KEY_NOT_FOUND: 404,
  KNOWLEDGE_BASE_NOT_FOUND: 404,
  DOCUMENT_NOT_FOUND: 404,
  CALL_NOT_FOUND: 404,
  TRANSCRIPT_NOT_FOUND: 404,
  RECORDING_NOT_FOUND: 404,
  WEBHOOK_NOT_FOUND: 404,
  DELIVERY_NOT_FOUND: 404,
  PHONE_NUMBER_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  LANGUAGE_NOT_AVAILABLE: 409,
  AGENT_NOT_PAUSED: 409,
  AGENT_DISABLED: 409,
  CALL_NOT_RUNNING: 409,
  CALL_RUNNING: 409,
  CALL_ENDING: 409,
  CALL_BUSY: 409,
  CALL_CANNOT: 409,
  PHONE_NUMBER_IN_USE: 409,
  PHONE_NUMBER_NOT_OWNED: 409,
  DICTIONARY_FULL: 409,
  RULE_ID_IN_USE: 409,
  IDEMPOTENCY_IN_PROGRESS: 409,
  NOT_CONFIGURED: 409,
  SECRET_ALREADY_SHOWN: 409,
  PRECONDITION_FAILED: 412,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RANGE_NOT_SATISFIABLE: 416,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  PROVIDER_ERROR: 502,
  DICTIONARY_CREATION_FAILED: 502,
  OVERLOADED: 503,
  STORAGE_UNAVAILABLE: 503,
  GATEWAY_UNREACHABLE: 503,
  PUBLIC_URL_REQUIRED: 503,
};

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
  response.status(STATUS[error.code]);
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
