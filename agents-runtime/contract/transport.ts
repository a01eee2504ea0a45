import type { EndedReason, TurnLatency } from './call-log.js';

export type AgentState = 'initializing' | 'listening' | 'thinking' | 'speaking';

/** What a call tells its client besides audio. Times are ms of call time. */
export type CallEvent =
  | { readonly type: 'state'; readonly state: AgentState }
  | {
      readonly type: 'transcript';
      /** Stable from the first interim to the final. */
      readonly segment: string;
      readonly role: 'user' | 'agent';
      readonly text: string;
      readonly final: boolean;
      readonly startMs: number;
      readonly endMs: number;
    }
  | ({ readonly type: 'latency' } & TurnLatency)
  | { readonly type: 'error'; readonly code: string; readonly message: string }
  | { readonly type: 'end'; readonly reason: EndedReason };

/**
 * One wire to one client, as a call sees it. A position in the agent's audio is the ms of audio sent
 * since the call began; gaps in which nothing was sent do not count, audio that `clear` dropped does.
 */
export interface Transport {
  /** Hz of the agent's audio on this wire: the rate at which `audio` takes it. */
  readonly sampleRate: number;
  /**
   * The client takes the agent's voice out of what it sends, as browsers do. Telephone lines do not:
   * there, what is no louder than the echo of what was just played does not count as speech.
   */
  readonly hasEchoCanceller: boolean;
  /** Bytes that wait in the wire's own buffers; sending holds while it is over the limit. */
  readonly backlogBytes: number;
  /** Left out: it can. One that cannot is cleared instead, and gets again what was not heard. */
  readonly canPause?: boolean;
  /** The caller's audio is handed on so long (ms) after it came: a resampler looks ahead. Left out: at once. */
  readonly callerDelayMs?: number;
  /** Sends mono samples (−1…1), which it copies: whole frames of 20 ms. */
  audio(samples: Float32Array): void;
  /** The client fades out within 40 ms, holds its playhead and reports it. */
  pause(): void;
  /** The client plays on from this position. */
  resumeFrom(fromMs: number): void;
  /** The client drops what it has not played, and reports first how far it got. */
  clear(): void;
  send(event: CallEvent): void;
  /** Closes the wire after what has been sent. Idempotent. */
  close(): void;
}

/** Why the agent does not say what it was told to: the call ends, or too much waits to be said. */
export type SayRefusal = 'ending' | 'busy';

/** One call, as its wire sees it. All methods are safe in any order and after the end. */
export interface CallInput {
  /** Media is connected: the call starts (first time only). */
  connected(): void;
  /** The caller's audio, mono 16 kHz, s16; it is copied. */
  audio(samples: Int16Array): void;
  typed(text: string): void;
  /** The agent says this as soon as it has the floor, to its end. @returns why it will not. */
  say(text: string): SayRefusal | undefined;
  /** How far the client has played, ms of the agent's audio (see `CallTransport`). */
  played(playedMs: number): void;
  /** The wire broke: the agent holds its tongue until `regained`, or for so long (10 s) at most. */
  lost(forMs?: number): void;
  /**
   * The wire is back; the client has received the agent's audio up to this position.
   * @param announce is told, before any audio, the position of what is sent next.
   */
  regained(receivedMs: number, announce: (fromMs: number) => void): void;
  /** Ends the call. Idempotent: the first reason counts. */
  hangUp(reason: EndedReason): void;
}
