/** Hands one output on. A stage's output buffer is valid only inside the call; who keeps it copies it. */
export type Emit<T> = (output: T) => void;

/** A synchronous step of a stream: any number of outputs an input, and what is left at the end. */
export interface Stage<In, Out> {
  push(input: In, emit: Emit<Out>): void;
  flush(emit: Emit<Out>): void;
}
