import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { RouteScope } from './scopes.js';

/** The sender of a request and its permissions. */
export interface Principal {
  readonly accountId: string;
  /** null for a JWT. */
  readonly keyId: number | null;
  readonly scopes: readonly string[];
}

/** The request that a handler serves, with its input, validated by the schemas of its route. */
export interface RouteContext<Body, Query, Params> {
  readonly body: Body;
  readonly query: Query;
  readonly params: Params;
  readonly principal: Principal;
  /** The header `If-Match` of a conditional route. */
  readonly ifMatch: string | undefined;
  readonly requestId: string;
  /** The log of the request, with its id. */
  readonly log: Logger;
  /** Fires when the client disconnects before the response is complete. */
  readonly signal: AbortSignal;
  readonly req: Request;
  readonly res: Response;
}

/** A response with its own status and headers. */
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

/** Responds with `status`. Without a body, only the headers are sent (204). */
export function reply(
  status: number,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
): Reply {
  return new Reply(status, body, headers);
}

/** The result of a handler that has written and ended `res`. */
export const SENT = Symbol('sent');

/** A response in the OpenAPI document. */
export interface RouteResponse {
  readonly description: string;
  /** The JSON body's schema. */
  readonly schema?: z.ZodType;
  /** Media types of a body that is not JSON. */
  readonly mediaTypes?: readonly string[];
  /** Headers of the response, with their descriptions. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A credential other than an API key: the token of a call, or a signed link. */
interface RouteCredential {
  readonly kind: 'end_token' | 'signed_link';
  /**
   * Documents that an API key with the route's scope is also accepted. Only the OpenAPI document reads this;
   * `check` must accept the key.
   */
  readonly orKey?: boolean;
  /** Returns the principal; undefined if the credential is not valid. */
  readonly check: (request: Request) => Promise<Principal | undefined>;
}

/** A form (`multipart/form-data`) with a file in its field `file`. */
export interface RouteForm<Body extends z.ZodType = z.ZodType> {
  readonly body: Body;
  readonly maxFileBytes: number;
}

/** Responses to repetitions with the same `Idempotency-Key`, if the first response contains secrets. */
export interface RepeatPolicy {
  /** The part of the first body that is stored: enough for `restore`, without secrets. */
  readonly keep: (body: unknown) => unknown;
  /** The body of a repetition, from the stored part. Throws to reject the repetition. */
  readonly restore: (kept: unknown) => Promise<unknown>;
}

/** One endpoint. The Express route and its part of the OpenAPI document derive from it. */
export interface Route {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Below `/api/v1`, parameters in braces: `/agent/{agent_id}/deploy`. */
  readonly path: string;
  /** The required scope; `any` for every valid key. */
  readonly scope: RouteScope | 'any';
  /** Replaces the API key. */
  readonly credential?: RouteCredential;
  /** Whether pages of other origins may use the route (CORS). */
  readonly isForBrowsers?: boolean;
  /** Accepts `Idempotency-Key`: a repetition gets the first response. For routes that create something. */
  readonly isIdempotent?: boolean;
  /** For idempotent routes. Default: a repetition gets the first body. */
  readonly repeatPolicy?: RepeatPolicy;
  /** Accepts `If-Match` (in `context.ifMatch`): 412 if the resource has changed since. */
  readonly isConditional?: boolean;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly body?: z.ZodType;
  readonly query?: z.ZodObject;
  readonly params?: z.ZodObject;
  /** The body is a form (`multipart/form-data`) with a file in its field `file`. */
  readonly isForm?: boolean;
  /** A form that is accepted instead of a JSON body. */
  readonly alternativeForm?: RouteForm;
  /** Largest body, or largest file of a form, in bytes. Default: `MAX_BODY_BYTES`. */
  readonly maxBodyBytes?: number;
  /** Responses by status. 401, 403, 429, 500 and, with any input, 422 are added automatically. */
  readonly responses: Readonly<Record<number, RouteResponse>>;
  /**
   * Checks the principal's rights to the content of the body, before the work and before the response to a repetition.
   * @throws ApiError FORBIDDEN
   */
  readonly authorize?: (context: RouteContext<unknown, unknown, unknown>) => void;
  readonly handle: (context: RouteContext<unknown, unknown, unknown>) => Promise<unknown>;
}

/** The argument of `route`: a Route whose handler has the types of its schemas. */
export interface RouteSpec<
  Body extends z.ZodType | undefined,
  Query extends z.ZodObject | undefined,
  Params extends z.ZodObject | undefined,
  Form extends z.ZodType = never,
> extends Omit<Route, 'body' | 'query' | 'params' | 'form' | 'authorize' | 'handle'> {
  readonly body?: Body;
  readonly alternativeForm?: RouteForm<Form>;
  readonly query?: Query;
  readonly params?: Params;
  readonly authorize?: (context: RouteContext<Output<Body>, Output<Query>, Output<Params>>) => void;
  /** Returns the JSON of a 200, a `reply(…)`, or SENT. */
  readonly handle: (
    context: RouteContext<Output<Body> | z.output<Form>, Output<Query>, Output<Params>>,
  ) => unknown;
}

type Output<T> = T extends z.ZodType ? z.output<T> : undefined;

/**
 * Declares an endpoint. The handler runs after authentication, scope check, rate limit and validation:
 * `route({ method: 'get', path: '/voices/{id}', …, params: model({ id: str() }), handle })`.
 */
export function route<
  Body extends z.ZodType | undefined = undefined,
  Query extends z.ZodObject | undefined = undefined,
  Params extends z.ZodObject | undefined = undefined,
  Form extends z.ZodType = never,
>(spec: RouteSpec<Body, Query, Params, Form>): Route {
  const { authorize, handle, ...rest } = spec;
  // The assertion is safe, because `readInput` has parsed the input with the same schemas.
  const typed = <T>(context: RouteContext<unknown, unknown, unknown>) =>
    context as RouteContext<T, Output<Query>, Output<Params>>;
  return {
    ...(rest as Omit<Route, 'authorize' | 'handle'>),
    ...(authorize && { authorize: (context) => authorize(typed(context)) }),
    handle: async (context) => handle(typed(context)),
  };
}
