/** What the table says about one scope. */
interface ScopeEntry {
  /** What a key with this scope may do, for the reference. */
  readonly description: string;
  /** Narrower scopes that this one grants too. */
  readonly grants?: readonly string[];
}

/** The one table of scopes. Routes, keys, JWTs and the OpenAPI document take their names from it. */
const TABLE = {
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

/** What a key must be allowed to do to use a route. */
export type RouteScope = keyof typeof TABLE;

const ENTRIES = Object.entries(TABLE) as [RouteScope, ScopeEntry][];

export const ROUTE_SCOPES: readonly RouteScope[] = ENTRIES.map(([name]) => name);

/** Whether the scopes `held` allow what `scope` stands for; `*` allows everything. */
export function isGranted(held: readonly string[], scope: string): boolean {
  if (held.includes('*') || held.includes(scope)) return true;
  return ENTRIES.some(([name, { grants }]) => held.includes(name) && grants?.includes(scope));
}

/** The table as Markdown list items, for the OpenAPI document. */
export function describeScopes(): string {
  return ENTRIES.map(([name, { description }]) => `- \`${name}\`: ${description}`).join('\n');
}
