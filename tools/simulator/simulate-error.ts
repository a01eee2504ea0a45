/** What a simulated carrier cannot go on with; the message says what to do about it. */
export class SimulateError extends Error {
  override readonly name = 'SimulateError';
}
