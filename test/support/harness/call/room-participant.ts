import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { AccessToken, type VideoGrant } from 'livekit-server-sdk';
import type { LiveKitServer } from '../process/livekit-server.js';

const PROGRAM = fileURLToPath(
  new URL('../../programs/room-participant-program.js', import.meta.url),
);

/** A command to the participant. */
export type ParticipantCommand =
  | { readonly type: 'join'; readonly url: string; readonly token: string }
  | { readonly type: 'publish'; readonly sampleRate: number; readonly hasPreconnectAudio?: boolean }
  | { readonly type: 'unpublish' | 'leave' }
  | { readonly type: 'tone'; readonly hz: number; readonly ms: number }
  /** s16 samples at the microphone's rate, base64. */
  | { readonly type: 'words'; readonly pcm16: string }
  | { readonly type: 'type'; readonly text: string }
  | { readonly type: 'data'; readonly bytes: number }
  /** Sent one after the other, without a pause. */
  | { readonly type: 'dtmf'; readonly keys: readonly (readonly [code: number, digit: string])[] }
  | { readonly type: 'attributes'; readonly attributes: Readonly<Record<string, string>> }
  | { readonly type: 'early'; readonly mimeType: string; readonly bytes: string };

/** A report from the participant. */
export type ParticipantReport =
  | { readonly type: 'done'; readonly id: number; readonly answer?: unknown; error?: string }
  /** 20 ms of a participant's track: level (0…1) and frequency. */
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

type ReportOf<Type extends ParticipantReport['type']> = Extract<ParticipantReport, { type: Type }>;

/** A room participant in a child process; it can join one room after the other. */
export class RoomParticipant {
  readonly reports: ParticipantReport[] = [];
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (report: ReportOf<'done'>) => void>();
  #nextId = 1;

  constructor() {
    this.#child = fork(PROGRAM, [], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    this.#child.on('message', (report: ParticipantReport) => {
      if (report.type === 'done') this.#waiting.get(report.id)?.(report);
      else this.reports.push(report);
    });
    this.#child.once('exit', () => {
      for (const [id, settle] of this.#waiting) settle({ type: 'done', id });
    });
  }

  /** All reports of one type. */
  all<Type extends ParticipantReport['type']>(type: Type): ReportOf<Type>[] {
    return this.reports.filter((report): report is ReportOf<Type> => report.type === type);
  }

  /** Executes a command. @throws if the command failed */
  async execute(order: ParticipantCommand): Promise<unknown> {
    const id = this.#nextId++;
    if (order.type === 'join') this.reports.length = 0;
    const done = await new Promise<ReportOf<'done'>>((resolve) => {
      this.#waiting.set(id, resolve);
      this.#child.send({ id, order });
    });
    if (done.error !== undefined) throw new Error(done.error);
    return done.answer;
  }

  /** Kills the process, as if its machine had lost power. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGKILL');
    await exited;
  }
}

/** An access token for a room. */
export function roomToken(
  { apiKey, apiSecret }: LiveKitServer,
  room: string,
  identity: string,
  grant: Partial<VideoGrant> & {
    isPhone?: boolean;
    attributes?: Record<string, string>;
    /** Lifetime. `-1h`: the token expired an hour ago. */
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
