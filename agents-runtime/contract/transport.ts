import type { TurnLatency } from './call-log.js';
import type { EndedReason } from './ended-reason.js';

export type AgentState = 'initializing' | 'listening' | 'thinking' | 'speaking';

/** A message from a call to its client. Times are ms of call time. */
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
 * The port for the connection to one client. A position in the agent's audio is the audio sent since the
 * call began, in ms: gaps in which nothing was sent do not count, audio that `clear` dropped does.
 */
export interface Transport {
  /** Sample rate of the samples passed to `sendAudio`, in Hz. */
  readonly sampleRate: number;
  /**
   * The client cancels the echo of the agent's voice, as browsers do. Without it, as on telephone lines,
   * audio that is no louder than the echo of recently played audio does not count as speech.
   */
  readonly hasEchoCanceller: boolean;
  /** Bytes in the transport's send buffers; LiveKit calls of one bridge share them. Playout stops sending above 256 KiB. */
  readonly backlogBytes: number;
  /** If false, a hold clears the client's audio and a resume sends it again. */
  readonly canPause: boolean;
  /** Delay of `CallInput.audio` after the arrival of the caller's audio (look-ahead of a resampler), ms. */
  readonly callerDelayMs: number;
  /** Sends mono samples (−1…1) in whole frames of 20 ms. Copies them. */
  sendAudio(samples: Float32Array): void;
  /** The client fades out within 40 ms, pauses its playback and reports its playhead. */
  pause(): void;
  /** The client continues from this position, ms of the agent's audio. */
  resumeFrom(positionMs: number): void;
  /** The client reports its playhead, then drops the audio that it has not played. */
  clear(): void;
  send(event: CallEvent): void;
  /** Closes the connection after the data already sent. Idempotent. */
  close(): void;
}

/** Why a dictated text is refused. `ending`: the call is over or ends; `busy`: 5 texts are queued. */
export type SayRefusal = 'ending' | 'busy';

/** The input of a call, called by its transport. All methods are safe in any order and after the end. */
export interface CallInput {
  /** The media connection is open. The first invocation starts the call. */
  connected(): void;
  /** The caller's audio: mono, 16 kHz, 16-bit. Copied. */
  audio(samples: Int16Array): void;
  typed(text: string): void;
  /** The agent says this text, uninterrupted, as soon as neither side speaks. @returns why it is refused. */
  say(text: string): SayRefusal | undefined;
  /** The client's playhead, ms of the agent's audio (see `Transport`). */
  played(playedMs: number): void;
  /** The connection is lost. The call ends unless `regained` follows within `forMs` (default: 10 s). */
  lost(forMs?: number): void;
  /**
   * The connection is back.
   * @param receivedMs - end of the agent's audio that the client has received
   * @param announcePosition - receives the position of the next audio, before that audio is sent
   */
  regained(receivedMs: number, announcePosition: (fromMs: number) => void): void;
  /** Ends the call. Idempotent; the first reason counts. */
  hangUp(reason: EndedReason): void;
}
