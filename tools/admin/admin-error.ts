/** What was asked of `npm run admin` cannot be done; `message` is one sentence that says what to do. */
export class AdminError extends Error {
  override readonly name = 'AdminError';
}
