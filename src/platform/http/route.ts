import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { RouteScope } from './scopes.js';

/** Who sent a request, and what it may do. */
export interface Principal {
  readonly accountId: string;
  /** null for a JWT, which no stored key stands behind. */
  readonly keyId: number | null;
  readonly scopes: readonly string[];
}

/** What a handler is handed: only input that the schemas let through. */
export interface RouteCall<Body, Query, Params> {
  readonly body: Body;
  readonly query: Query;
  readonly params: Params;
  readonly principal: Principal;
  /** The header `If-Match` of a conditional route. */
  readonly ifMatch: string | undefined;
  readonly requestId: string;
  /** Logs with the request's id. */
  readonly log: Logger;
  /** Fires when the client goes away before the answer is complete. */
  readonly signal: AbortSignal;
  readonly req: Request;
  readonly res: Response;
}

/** An answer with a status, and perhaps headers, of its own. */
export class Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
  constructor(status: number, body?: unknown, headers: Readonly<Record<string, string>> = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** Answers with `status`; without a body nothing but the headers is sent (204). */
export function reply(
  status: number,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
): Reply {
  return new Reply(status, body, headers);
}

/** Returned by a handler that has written the answer to `res` itself and ended it. */
export const SENT = Symbol('sent');

/** An answer as the OpenAPI document shows it. */
export interface RouteResponse {
  readonly description: string;
  /** The JSON body's schema. */
  readonly schema?: z.ZodType;
  /** For bodies that are no JSON: media types. */
  readonly mediaTypes?: readonly string[];
  /** Headers of its own, with what they say. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Another way in than an API key: a call's own token, or a link that was signed. */
interface RouteCredential {
  readonly kind: 'end_token' | 'signed_link';
  /** An API key with the route's scope is as good. */
  readonly orKey?: boolean;
  /** Says who may enter; undefined for nobody. */
  readonly check: (request: Request) => Promise<Principal | undefined>;
}

/** A form (`multipart/form-data`) with a file in its field `file`. */
export interface RouteForm<Body extends z.ZodType = z.ZodType> {
  readonly body: Body;
  readonly maxFileBytes: number;
}

/** How a repetition with the same `Idempotency-Key` is answered where the first answer holds secrets. */
export interface Replay {
  /** What is stored of the first answer's body: enough for `answer`, and no secret. */
  readonly keep: (body: unknown) => unknown;
  /** The body of a repetition, of what was kept. May throw to refuse one. */
  readonly answer: (kept: unknown) => Promise<unknown>;
}

/** One endpoint: the Express route and its part of the OpenAPI document are both made from this. */
export interface Route {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Below `/api/v1`, parameters in braces: `/agent/{agent_id}/deploy`. */
  readonly path: string;
  /** The scope that a key needs; `any` for every valid key. */
  readonly scope: RouteScope | 'any';
  /** For routes with a credential of their own instead of an API key. */
  readonly credential?: RouteCredential;
  /** Whether pages of other origins may call this. */
  readonly isForBrowsers?: boolean;
  /** For what creates: takes `Idempotency-Key`, and answers a repetition as it did the first time. */
  readonly isIdempotent?: boolean;
  /** For idempotent routes; by default a repetition is answered with the first body. */
  readonly replay?: Replay;
  /** Takes `If-Match` (in `call.ifMatch`): what was changed since is left alone, with 412. */
  readonly isConditional?: boolean;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly body?: z.ZodType;
  readonly query?: z.ZodObject;
  readonly params?: z.ZodObject;
  /** The body is a form (`multipart/form-data`), a file in its field `file`; the limit is the file's. */
  readonly isMultipart?: boolean;
  /** A form that is accepted in place of a JSON body. */
  readonly form?: RouteForm;
  /** The largest body in bytes; without it the application's limit holds. */
  readonly maxBodyBytes?: number;
  /** Answers by status. 401, 403, 429, 500 and, with any input, 422 are added by themselves. */
  readonly responses: Readonly<Record<number, RouteResponse>>;
  /**
   * Checks the principal's rights to what the body asks for, before the work and before a replay.
   * @throws ApiError FORBIDDEN
   */
  readonly authorize?: (call: RouteCall<unknown, unknown, unknown>) => void;
  readonly handle: (call: RouteCall<unknown, unknown, unknown>) => Promise<unknown>;
}

/** What `route` takes: a Route whose handler sees the types of its schemas. */
export interface RouteSpec<
  Body extends z.ZodType | undefined,
  Query extends z.ZodObject | undefined,
  Params extends z.ZodObject | undefined,
  Form extends z.ZodType = never,
> extends Omit<Route, 'body' | 'query' | 'params' | 'form' | 'authorize' | 'handle'> {
  readonly body?: Body;
  readonly form?: RouteForm<Form>;
  readonly query?: Query;
  readonly params?: Params;
  readonly authorize?: (call: RouteCall<Output<Body>, Output<Query>, Output<Params>>) => void;
  /** Returns the JSON of a 200, a `reply(…)`, or SENT. */
  readonly handle: (
    call: RouteCall<Output<Body> | z.output<Form>, Output<Query>, Output<Params>>,
  ) => unknown;
}

type Output<T> = T extends z.ZodType ? z.output<T> : undefined;

/**
 * Declares an endpoint. The handler runs after authentication, scope, rate limit and validation:
 * `route({ method: 'get', path: '/voices/{id}', …, params: model({ id: str() }), handle })`.
 */
export function route<
  Body extends z.ZodType | undefined = undefined,
  Query extends z.ZodObject | undefined = undefined,
  Params extends z.ZodObject | undefined = undefined,
  Form extends z.ZodType = never,
>(spec: RouteSpec<Body, Query, Params, Form>): Route {
  const { authorize, handle, ...rest } = spec;
  // The cast is where typed handlers meet the table: `validated` parses with these very schemas.
  const typed = <T>(call: RouteCall<unknown, unknown, unknown>) =>
    call as RouteCall<T, Output<Query>, Output<Params>>;
  return {
    ...(rest as Omit<Route, 'authorize' | 'handle'>),
    ...(authorize && { authorize: (call) => authorize(typed(call)) }),
    handle: async (call) => handle(typed(call)),
  };
}
