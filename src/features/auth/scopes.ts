import { ROUTE_SCOPES, type RouteScope } from '../../platform/http/route-scopes.js';

export type Scope = RouteScope | '*';

/** What a key may be allowed to do; `*` is everything. */
export const SCOPES: readonly Scope[] = [...ROUTE_SCOPES, '*'];

export function isScope(text: string): text is Scope {
  return (SCOPES as readonly string[]).includes(text);
}
