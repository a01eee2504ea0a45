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

/** LiveKit disconnects a worker that has not registered within this time. Source: livekit-server, pkg/agent/worker.go. */
const REGISTER_MS = 10_000;
const PING_MS = 5_000;
/** Consecutive unanswered pings after which the connection counts as dead. */
const MAX_UNANSWERED = 3;
/**
 * LiveKit gives a job up after 3 s, and offers it to the next worker only after a refusal. Source:
 * livekit-server, pkg/service/agentservice.go; psrpc, DefaultClientTimeout.
 */
const ANSWER_MS = 2_000;
/** Retries continue, but the settings must be corrected. */
const REFUSED = 'it does not take LIVEKIT_API_KEY and LIVEKIT_API_SECRET';
const FIRST_RETRY_MS = 250;
const MAX_RETRY_MS = 5_000;

/** The state by which LiveKit selects a worker. */
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
  /** Creates an access token of a worker. */
  readonly token: () => Promise<string>;
  readonly agentName: string;
  readonly state: () => WorkerState;
  /** Decides whether to accept a job. After 2 s the job is refused. */
  readonly onAsked: (job: WorkerJob) => Promise<JobAnswer>;
  readonly onAssigned: (assignment: Assignment) => void;
  /** LiveKit has ended the job: its agent did not join, or was removed. */
  readonly onTerminated: (jobId: string) => void;
  /** The connection is up. */
  readonly onUp: (serverVersion: string) => void;
  /** The connection is down. Called once, and again if the server then rejects the key. */
  readonly onDown: (why: string) => void;
  readonly onFault: (error: unknown) => void;
  /** Jitter of the retries, 0…1. */
  readonly random?: () => number;
}

/** The connection of a worker to LiveKit's dispatch. It reconnects automatically. */
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

  /** Registered and connected. */
  get isUp(): boolean {
    return this.#isUp;
  }

  start(): void {
    void this.#connect();
  }

  /** Sends the worker's state to LiveKit if it has changed. */
  reportState(): void {
    if (!this.#isUp) return;
    const { isFull, load, jobs } = this.#options.state();
    const report = `${isFull} ${load.toFixed(2)} ${jobs}`;
    if (report === this.#reported) return;
    this.#reported = report;
    this.#send({ type: 'status', isFull, load, jobs });
  }

  /** Reports the status of a job. Lost while LiveKit is disconnected, but so is the job. */
  reportJob(jobId: string, status: 'running' | 'success' | 'failed', error?: string): void {
    this.#send({ type: 'job', jobId, status, error });
  }

  /** Idempotent. Joined rooms are not affected. */
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
      this.#handle(parseFromLiveKit(data));
    } catch (error) {
      this.#options.onFault(error);
    }
  }

  #handle(message: FromLiveKit): void {
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
    this.reportState();
    this.#ping();
  }

  /** Detects a connection that was lost without a close. */
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
    const isNewlyRefused = why === REFUSED && !this.#isRefused;
    if (this.#tries === 0 || isNewlyRefused) this.#options.onDown(why);
    this.#isRefused = why === REFUSED;
    const { clock, random = Math.random } = this.#options;
    const wait = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** this.#tries);
    this.#tries++;
    this.#timer = clock.after(wait * (0.5 + random() / 2), () => void this.#connect());
  }
}
