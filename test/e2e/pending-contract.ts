/** A route of the contract that is documented and answers, but is not implemented yet. */
export interface Pending {
  readonly what: string;
  /** Status until then. */
  readonly status: number;
  readonly body?: object;
}

/**
 * Unimplemented routes by `METHOD path`. Routes of the contract that are missing in the document
 * must be listed here. The contract's test fails for entries that are implemented.
 */
export const PENDING: Readonly<Record<string, Pending>> = {
  'POST /api/v1/google/{agent_id}/oauth/start': {
    what: 'Linking of Google accounts',
    status: 409,
    body: { code: 'NOT_CONFIGURED' },
  },
};
