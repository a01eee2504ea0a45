/** One scope. */
interface ScopeEntry {
  /** Permissions of the scope, for the reference documentation. */
  readonly description: string;
  /** Narrower scopes that this one includes. */
  readonly grants?: readonly string[];
}

/** All scopes. Routes, keys, JWTs and the OpenAPI document take their names from this table. */
const SCOPE_TABLE = {
  speech: { description: 'Text to speech and voices.' },
  dictionaries: { description: 'Pronunciation dictionaries.' },
  agents: { description: 'Agents, their webhooks and their Google accounts.' },
  calls: {
    description: 'All of `calls:start`, `calls:monitor`, `calls:records` and `calls:retention`.',
    grants: ['calls:start', 'calls:monitor', 'calls:records', 'calls:retention'],
  },
  'calls:start': { description: 'Start calls: connection details and outbound calls.' },
  'calls:monitor': {
    description: 'Watch running calls and listen in; say, send keys, transfer and end.',
  },
  'calls:records': { description: 'Read recordings and transcripts.' },
  'calls:retention': { description: 'Delete calls and set how long their records are kept.' },
  knowledge: { description: 'Knowledge bases.' },
  numbers: { description: 'Search, select and release phone numbers.' },
  analytics: { description: 'Call history and statistics.' },
  keys: { description: 'API keys.' },
} as const satisfies Readonly<Record<string, ScopeEntry>>;

/** A scope that a route may require. */
export type RouteScope = keyof typeof SCOPE_TABLE;

const ENTRIES = Object.entries(SCOPE_TABLE) as [RouteScope, ScopeEntry][];

/** A scope that a key or a JWT may have; `*` grants everything. */
export type Scope = RouteScope | '*';

export const SCOPES: readonly Scope[] = [...ENTRIES.map(([name]) => name), '*'];

export function isScope(text: string): text is Scope {
  return (SCOPES as readonly string[]).includes(text);
}

/** Whether the scopes `held` include `scope`. */
export function isGranted(held: readonly string[], scope: string): boolean {
  if (held.includes('*') || held.includes(scope)) return true;
  return ENTRIES.some(([name, { grants }]) => held.includes(name) && grants?.includes(scope));
}

/** The table as Markdown list items, for the OpenAPI document. */
export function describeScopes(): string {
  return ENTRIES.map(([name, { description }]) => `- \`${name}\`: ${description}`).join('\n');
}
