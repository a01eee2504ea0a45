/** Receives one output. A buffer is valid only during the call; copy it to keep it. */
export type Emit<T> = (output: T) => void;

/** A synchronous step of a stream. */
export interface Stage<In, Out> {
  /** Processes one input and emits any number of outputs. The input is not kept after the call. */
  push(input: In, emit: Emit<Out>): void;
  /** Ends the stream and emits the remaining outputs. */
  flush(emit: Emit<Out>): void;
}
