import { z } from 'zod';
import { int16Of } from '../../../media/audio/pcm.js';
import { CallError } from '../../contract/errors.js';
import type { CallEvent } from '../../contract/transport.js';

/** The WebSocket subprotocol of a call. */
export const SUBPROTOCOL = 'parley.call.v1';
/** Prefix of a second subprotocol that carries the token instead of `hello`. */
export const TOKEN_SUBPROTOCOL = 'parley.token.';
/** Largest frame in bytes: two seconds of PCM. */
export const MAX_FRAME = 64 * 1024;
/** Largest JSON frame, characters. */
const MAX_JSON = 16 * 1024;

const position = z.number().nonnegative().finite();
const encoding = z.enum(['pcm', 'opus']);

/** JSON messages of the client. */
export const clientMessage = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    /** From connection-details. Optional with a token subprotocol, or to resume a call. */
    token: z.string().max(4096).optional(),
    /** Resumes a call whose socket was closed. */
    resumeToken: z.string().max(4096).optional(),
    /** When resuming: ms of the agent's audio received, and the last `seq` seen. */
    receivedMs: position.optional(),
    lastSeq: z.number().int().nonnegative().optional(),
    audio: z
      .object({ up: encoding.default('pcm'), down: encoding.default('pcm') })
      .default({ up: 'pcm', down: 'pcm' }),
  }),
  /** ms of the agent's audio that the client has played. */
  z.object({ type: z.literal('playout'), playedMs: position }),
  z.object({ type: z.literal('text'), text: z.string().trim().min(1).max(2000) }),
  z.object({ type: z.literal('end') }),
]);

export type ClientMessage = z.infer<typeof clientMessage>;
export type Hello = Extract<ClientMessage, { type: 'hello' }>;

/** A message of the server. Each has a `seq`, counted from 1, so that a resume loses none. */
export type CallServerMessage =
  | {
      readonly type: 'ready';
      readonly callId: string;
      readonly resumeToken: string;
      /** Position (ms of the agent's audio) of the next binary frame. */
      readonly positionMs: number;
      readonly audio: {
        readonly up: 'pcm' | 'opus';
        readonly upSampleRate: number;
        readonly down: 'pcm' | 'opus';
        readonly downSampleRate: number;
      };
    }
  | { readonly type: 'pause' }
  | { readonly type: 'resume'; readonly fromMs: number }
  | { readonly type: 'clear' }
  | CallEvent;

/**
 * Parses a text frame.
 * @throws CallError PROTOCOL with a message for the client
 */
export function parseClientMessage(text: string): ClientMessage {
  if (text.length > MAX_JSON) {
    throw new CallError('PROTOCOL', `A JSON message has at most ${MAX_JSON} characters`);
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new CallError('PROTOCOL', 'The message is not valid JSON', { cause });
  }
  const parsed = clientMessage.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue?.path.join('.') || 'message';
  throw new CallError('PROTOCOL', `${place}: ${issue?.message ?? 'not understood'}`);
}

export function serialiseServerMessage(message: CallServerMessage, seq: number): string {
  return JSON.stringify({ ...message, seq });
}

/** Whether this machine has the byte order of the protocol. */
const IS_LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/**
 * Parses a binary frame of PCM. The result may share the frame's memory.
 * @throws CallError PROTOCOL for an odd number of bytes
 */
export function parsePcm(frame: Buffer): Int16Array {
  if (frame.length % 2 !== 0) throw new CallError('PROTOCOL', 'A PCM frame has whole samples');
  const isAligned = frame.byteOffset % 2 === 0;
  const bytes = isAligned ? frame : Uint8Array.from(frame);
  if (!IS_LITTLE_ENDIAN) Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).swap16();
  return new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);
}

/** Serialises samples (−1…1) as s16le. */
export function serialisePcm(samples: Float32Array): Buffer {
  const frame = Buffer.from(int16Of(samples).buffer);
  return IS_LITTLE_ENDIAN ? frame : frame.swap16();
}
