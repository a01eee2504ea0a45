/** Receives one output. The buffer is valid only during the call; copy it to keep it. */
export type Emit<T> = (output: T) => void;

/** A synchronous step of a stream with any number of outputs per input. `flush` emits the rest at the end. */
export interface Stage<In, Out> {
  push(input: In, emit: Emit<Out>): void;
  flush(emit: Emit<Out>): void;
}
