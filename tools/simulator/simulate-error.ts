/** An error that ends the simulation. The message says what to do. */
export class SimulateError extends Error {
  override readonly name = 'SimulateError';
}
