import WebSocket, { type RawData } from 'ws';
import type { Clock, Timer } from '../../contract/clock.js';
import {
  type FromLiveKit,
  type JobAnswer,
  MAX_WORKER_MESSAGE,
  parseFromLiveKit,
  serialiseToLiveKit,
  type ToLiveKit,
  WORKER_PROTOCOL,
  type WorkerJob,
} from './worker-protocol.js';

/** LiveKit closes a worker that has not registered by then. Source: its pkg/agent/worker.go. */
const REGISTER_MS = 10_000;
const PING_MS = 5_000;
/** Pings in a row without an answer after which the connection counts as dead. */
const MAX_UNANSWERED = 3;
/**
 * LiveKit gives a job up 3 s after it began to look for a worker, and asks the next one only when this
 * one has said no (Source: its pkg/service/agentservice.go, and psrpc, DefaultClientTimeout).
 */
const ANSWER_MS = 2_000;
/** Trying again changes nothing: somebody has to mend the settings. */
const REFUSED = 'it does not take LIVEKIT_API_KEY and LIVEKIT_API_SECRET';
const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 5_000;

/** What of a worker LiveKit picks by. */
export interface WorkerState {
  readonly isFull: boolean;
  /** 0…1. */
  readonly load: number;
  readonly jobs: number;
}

export interface Assignment {
  readonly jobId: string;
  readonly url: string | undefined;
  readonly token: string;
}

export interface WorkerConnectionOptions {
  readonly clock: Clock;
  /** `ws(s)://host[:port]` of the LiveKit server. */
  readonly url: string;
  /** A token by which LiveKit knows a worker. */
  readonly token: () => Promise<string>;
  readonly agentName: string;
  readonly state: () => WorkerState;
  /** Whether a job is wanted here. Answered in time, or not at all. */
  readonly onAsked: (job: WorkerJob) => Promise<JobAnswer>;
  readonly onAssigned: (assignment: Assignment) => void;
  /** LiveKit gives the job up: its agent did not come, or was sent away. */
  readonly onTerminated: (jobId: string) => void;
  /** The connection is there, or is gone for this reason; told again when the server refuses the key. */
  readonly onUp: (serverVersion: string) => void;
  readonly onDown: (why: string) => void;
  readonly onFault: (error: unknown) => void;
  /** Spreads the tries of many gateways; 0…1. */
  readonly random?: () => number;
}

/** This gateway as a worker of LiveKit's dispatch: connects, and again whenever the connection breaks. */
export class WorkerConnection {
  readonly #options: WorkerConnectionOptions;
  #socket: WebSocket | undefined;
  #isUp = false;
  #isClosed = false;
  #tries = 0;
  #unanswered = 0;
  #timer: Timer | undefined;
  #reported = '';
  #isRefused = false;

  constructor(options: WorkerConnectionOptions) {
    this.#options = options;
  }

  /** Registered, and answering. */
  get isUp(): boolean {
    return this.#isUp;
  }

  start(): void {
    void this.#connect();
  }

  /** Tells LiveKit how this worker stands, if that has changed. */
  tell(): void {
    if (!this.#isUp) return;
    const { isFull, load, jobs } = this.#options.state();
    const told = `${isFull} ${load.toFixed(2)} ${jobs}`;
    if (told === this.#reported) return;
    this.#reported = told;
    this.#send({ type: 'status', isFull, load, jobs });
  }

  /** What has become of a job. While LiveKit is away nobody hears it, and LiveKit forgets the job itself. */
  tellJob(jobId: string, status: 'running' | 'success' | 'failed', error?: string): void {
    this.#send({ type: 'job', jobId, status, error });
  }

  /** Idempotent. Rooms that were joined go on without this. */
  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#isUp = false;
    this.#socket?.close();
    this.#socket = undefined;
  }

  async #connect(): Promise<void> {
    const { url, token, clock } = this.#options;
    let bearer: string;
    try {
      bearer = await token();
    } catch (error) {
      this.#options.onFault(error);
      this.#retry('no token could be made');
      return;
    }
    if (this.#isClosed) return;
    const socket = new WebSocket(`${url}/agent?protocol=${WORKER_PROTOCOL}`, {
      headers: { authorization: `Bearer ${bearer}` },
      handshakeTimeout: REGISTER_MS,
      maxPayload: MAX_WORKER_MESSAGE,
    });
    this.#socket = socket;
    let why = 'the connection was closed';
    socket.on('error', (error) => {
      why = /response: 40[13]$/.test(error.message) ? REFUSED : error.message;
    });
    socket.on('open', () => this.#register(socket));
    socket.on('message', (data: RawData) => this.#onMessage(socket, data as Buffer));
    socket.on('close', () => this.#onClose(socket, why));
    this.#timer = clock.after(REGISTER_MS, () => socket.terminate());
  }

  #register(socket: WebSocket): void {
    if (this.#socket !== socket) return;
    const { agentName } = this.#options;
    this.#send({ type: 'register', agentName, pingIntervalS: PING_MS / 1000 });
  }

  #onMessage(socket: WebSocket, data: Buffer): void {
    if (this.#socket !== socket) return;
    this.#unanswered = 0;
    try {
      this.#obey(parseFromLiveKit(data));
    } catch (error) {
      this.#options.onFault(error);
    }
  }

  #obey(message: FromLiveKit): void {
    const { onAssigned, onTerminated } = this.#options;
    switch (message.type) {
      case 'registered':
        this.#onRegistered(message.serverVersion);
        return;
      case 'asked':
        void this.#answer(message.job);
        return;
      case 'assigned':
        onAssigned(message);
        return;
      case 'terminated':
        onTerminated(message.jobId);
        return;
      case 'pong':
      case 'unknown':
        return;
    }
  }

  #onRegistered(serverVersion: string): void {
    this.#timer?.cancel();
    this.#isUp = true;
    this.#tries = 0;
    this.#isRefused = false;
    this.#reported = '';
    this.#options.onUp(serverVersion);
    this.tell();
    this.#ping();
  }

  /** A connection that was cut without a word is noticed by its silence. */
  #ping(): void {
    this.#timer = this.#options.clock.after(PING_MS, () => {
      if (++this.#unanswered > MAX_UNANSWERED) {
        this.#socket?.terminate();
        return;
      }
      this.#send({ type: 'ping', timestampMs: Date.now() });
      this.#ping();
    });
  }

  async #answer(job: WorkerJob): Promise<void> {
    const { clock, onAsked, onFault } = this.#options;
    let isLate = false;
    const limit = clock.after(ANSWER_MS, () => {
      isLate = true;
      this.#send({ type: 'answer', jobId: job.id, answer: { type: 'no' } });
    });
    let answer: JobAnswer = { type: 'no' };
    try {
      answer = await onAsked(job);
    } catch (error) {
      onFault(error);
    }
    limit.cancel();
    if (!isLate) this.#send({ type: 'answer', jobId: job.id, answer });
  }

  #send(message: ToLiveKit): void {
    if (this.#socket?.readyState !== WebSocket.OPEN) return;
    this.#socket.send(serialiseToLiveKit(message));
  }

  #onClose(socket: WebSocket, why: string): void {
    if (this.#socket !== socket) return;
    this.#socket = undefined;
    this.#timer?.cancel();
    this.#retry(why);
  }

  #retry(why: string): void {
    if (this.#isClosed) return;
    this.#isUp = false;
    this.#unanswered = 0;
    const isNews = why === REFUSED && !this.#isRefused;
    if (this.#tries === 0 || isNews) this.#options.onDown(why);
    this.#isRefused = why === REFUSED;
    const { clock, random = Math.random } = this.#options;
    const wait = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.#tries);
    this.#tries++;
    this.#timer = clock.after(wait * (0.5 + random() / 2), () => void this.#connect());
  }
}
