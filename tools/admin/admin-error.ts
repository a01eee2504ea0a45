/** A command that cannot be executed; `message` is one sentence that says what to do. */
export class AdminError extends Error {
  override readonly name = 'AdminError';
}
