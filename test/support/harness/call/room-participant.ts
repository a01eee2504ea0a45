import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { AccessToken, type VideoGrant } from 'livekit-server-sdk';
import type { LiveKitServer } from '../process/livekit-server.js';

const PROGRAM = fileURLToPath(
  new URL('../../programs/room-participant-program.js', import.meta.url),
);

/** What a guest is told to do. */
export type GuestOrder =
  | { readonly type: 'join'; readonly url: string; readonly token: string }
  | { readonly type: 'publish'; readonly sampleRate: number; readonly hasEarlySound?: boolean }
  | { readonly type: 'unpublish' | 'leave' }
  | { readonly type: 'tone'; readonly hz: number; readonly ms: number }
  /** s16 samples at the microphone's rate, base64. */
  | { readonly type: 'words'; readonly pcm16: string }
  | { readonly type: 'type'; readonly text: string }
  | { readonly type: 'data'; readonly bytes: number }
  /** One after the other, without a pause. */
  | { readonly type: 'dtmf'; readonly keys: readonly (readonly [code: number, digit: string])[] }
  | { readonly type: 'attributes'; readonly attributes: Readonly<Record<string, string>> }
  | { readonly type: 'early'; readonly mimeType: string; readonly bytes: string };

/** What a guest tells. */
export type GuestTold =
  | { readonly type: 'done'; readonly id: number; readonly answer?: unknown; error?: string }
  /** 20 ms of somebody's track: its level (0…1) and frequency. */
  | { readonly type: 'heard'; readonly from: string; readonly level: number; readonly hz: number }
  | {
      readonly type: 'text';
      readonly topic: string;
      readonly from: string;
      readonly text: string;
      readonly attributes: Readonly<Record<string, string>>;
    }
  | { readonly type: 'data'; readonly from: string; readonly text: string }
  | {
      readonly type: 'attributes';
      readonly from: string;
      readonly attributes: Readonly<Record<string, string>>;
    }
  | { readonly type: 'dtmf'; readonly from: string; readonly code: number; readonly digit: string }
  | { readonly type: 'came' | 'went'; readonly identity: string }
  | { readonly type: 'out'; readonly reason: number };

type Told<Type extends GuestTold['type']> = Extract<GuestTold, { type: Type }>;

/** A participant in a process of its own, of one room after the other. */
export class RoomGuest {
  readonly told: GuestTold[] = [];
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (told: Told<'done'>) => void>();
  #nextId = 1;

  constructor() {
    this.#child = fork(PROGRAM, [], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    this.#child.on('message', (told: GuestTold) => {
      if (told.type === 'done') this.#waiting.get(told.id)?.(told);
      else this.told.push(told);
    });
    this.#child.once('exit', () => {
      for (const [id, settle] of this.#waiting) settle({ type: 'done', id });
    });
  }

  /** All that was told of one kind. */
  all<Type extends GuestTold['type']>(type: Type): Told<Type>[] {
    return this.told.filter((told): told is Told<Type> => told.type === type);
  }

  /** Resolves when it is done. @throws what went wrong */
  async order(order: GuestOrder): Promise<unknown> {
    const id = this.#nextId++;
    if (order.type === 'join') this.told.length = 0;
    const done = await new Promise<Told<'done'>>((resolve) => {
      this.#waiting.set(id, resolve);
      this.#child.send({ id, order });
    });
    if (done.error !== undefined) throw new Error(done.error);
    return done.answer;
  }

  /** Is gone without a word, as one whose machine lost its power. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGKILL');
    await gone;
  }
}

/** A token that lets somebody into a room. */
export function roomToken(
  { apiKey, apiSecret }: LiveKitServer,
  room: string,
  identity: string,
  grant: Partial<VideoGrant> & {
    isPhone?: boolean;
    attributes?: Record<string, string>;
    /** From now on; `-1h`: it expired an hour ago. */
    ttl?: string;
  } = {},
): Promise<string> {
  const { isPhone, attributes, ttl = '10m', ...more } = grant;
  const token = new AccessToken(apiKey, apiSecret, { identity, ttl });
  token.addGrant({ roomJoin: true, room, canUpdateOwnMetadata: true, ...more });
  if (isPhone) token.kind = 'sip';
  if (attributes) token.attributes = attributes;
  return token.toJwt();
}

export const agentToken = (server: LiveKitServer, room: string, identity = 'agent-1') =>
  roomToken(server, room, identity, { agent: true });
