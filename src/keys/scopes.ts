/** What a key may be allowed to do; `*` is everything. */
export const SCOPES = [
  'speech',
  'dictionaries',
  'agents',
  'calls',
  'knowledge',
  'numbers',
  'analytics',
  'keys',
  '*',
] as const;

export type Scope = (typeof SCOPES)[number];

export function isScope(text: string): text is Scope {
  return (SCOPES as readonly string[]).includes(text);
}

/** Whether a key with the scopes `held` may do what `scope` stands for. */
export function allows(held: readonly Scope[], scope: Scope): boolean {
  return held.includes('*') || held.includes(scope);
}
