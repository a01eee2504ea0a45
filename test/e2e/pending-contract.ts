/** A route of the contract that is documented and answers, but is not implemented yet. */
export interface Pending {
  /** Short name of the feature that implements it. */
  readonly by: string;
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
    by: 'G',
    what: 'Google accounts are linked',
    status: 409,
    body: { code: 'NOT_CONFIGURED' },
  },
};
