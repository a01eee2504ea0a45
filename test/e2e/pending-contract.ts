/** Something of the contract that is documented, and answered, but does not do its work yet. */
export interface Pending {
  /** The issue that brings it. */
  readonly by: string;
  readonly what: string;
  /** What is answered until then. */
  readonly status: number;
  readonly body?: object;
}

/**
 * What is still to come, by `METHOD path`. A route of the contract that the
 * document lacks needs a line here, and so has one that answers without doing its work. Whoever
 * brings it takes the line out: a line that is not true any more fails the contract's test.
 */
export const PENDING: Readonly<Record<string, Pending>> = {
  'POST /api/v1/google/{agent_id}/oauth/start': {
    by: 'G',
    what: 'Google accounts are linked',
    status: 409,
    body: { code: 'NOT_CONFIGURED' },
  },
};
