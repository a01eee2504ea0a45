import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../contract/clock.js';
import { CallError } from '../../contract/errors.js';
import { ConnectionSilenceMonitor } from '../../timing/connection-silence-monitor.js';
import {
  audioFrame,
  type IpcFrame,
  IpcFrameReader,
  messageFrame,
  readGap,
  readIpcMessage,
  readSamples,
} from './ipc-frames.js';
import { FromBridge, type ToBridge } from './ipc-messages.js';

const PROGRAM = fileURLToPath(new URL('./bridge/bridge-program.js', import.meta.url));
/** File descriptor of the pipe. */
const PIPE = 3;
/** Environment variables for the child process, which must not receive secrets. */
const INHERITED = ['PATH', 'SystemRoot', 'SSL_CERT_FILE', 'SSL_CERT_DIR'];
/** Time without a message after which a process counts as hung. It sends a heartbeat every second. */
const SILENT_MS = 8_000;
/** The same before its first message. */
const STARTING_MS = 30_000;
/** Time to exit before the process is killed. */
const CLOSE_TIMEOUT_MS = 3_000;

/** Receives the events of a room. */
export interface RoomListener {
  message(message: FromBridge): void;
  /** Mono 16 kHz; the receiver owns it. */
  audio(samples: Int16Array): void;
  /** This number of samples of the caller was dropped. */
  gap(samples: number): void;
  /** The bridge process has ended, and the room with it. */
  died(): void;
}

export interface RoomPort {
  /** Bytes that the bridge has not read. */
  readonly backlogBytes: number;
  send(message: ToBridge): void;
  audio(samples: Int16Array): void;
}

export interface BridgeProcessOptions {
  readonly clock: Clock;
  readonly silentMs?: number | undefined;
  /** Called once, after the process has exited and its rooms have been notified. */
  readonly onExit: (why: string) => void;
  /** A fault that ended no room. */
  readonly onFault: (why: string) => void;
  /** A room was left. */
  readonly onLeft: () => void;
}

/** A child process that holds rooms, so that a fault of the native library does not end the gateway. */
export class BridgeProcess {
  readonly #options: BridgeProcessOptions;
  readonly #child: ChildProcess;
  readonly #pipe: Duplex;
  readonly #rooms = new Map<number, RoomListener>();
  readonly #exited: Promise<void>;
  readonly #silence: ConnectionSilenceMonitor;
  #hasStarted = false;
  #served = 0;
  #why = 'ended';

  constructor(options: BridgeProcessOptions) {
    this.#options = options;
    this.#child = spawn(process.execPath, [PROGRAM], {
      // `overlapped` differs from `pipe` on Windows only: it allows reads and writes at the same time.
      stdio: ['ignore', 'ignore', 'ignore', 'overlapped'],
      env: Object.fromEntries(INHERITED.map((name) => [name, process.env[name]])),
    });
    this.#pipe = this.#child.stdio[PIPE] as Duplex;
    const reader = new IpcFrameReader();
    this.#pipe.on('data', (bytes: Buffer) => this.#onData(reader, bytes));
    // A write to a dead process. `close` reports its end.
    this.#pipe.on('error', () => undefined);
    this.#child.on('error', (error) => {
      this.#why = error.message;
    });
    this.#exited = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => {
        this.#onExit(`${this.#why} (${signal ?? code})`);
        resolve();
      });
    });
    this.#silence = new ConnectionSilenceMonitor(options.clock, (silentMs) =>
      this.#check(silentMs),
    );
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Number of open rooms. */
  get rooms(): number {
    return this.#rooms.size;
  }

  /** Number of rooms opened since the start. */
  get served(): number {
    return this.#served;
  }

  open(listener: RoomListener): RoomPort {
    const id = ++this.#served;
    const pipe = this.#pipe;
    this.#rooms.set(id, listener);
    return {
      get backlogBytes() {
        return pipe.writableLength;
      },
      send: (message) => this.#write(id, messageFrame(id, message)),
      audio: (samples) => this.#write(id, audioFrame(id, samples)),
    };
  }

  /** Ends the process, by force after a timeout. */
  async close(): Promise<void> {
    this.#why = 'closed';
    this.#pipe.end();
    const limit = this.#options.clock.after(CLOSE_TIMEOUT_MS, () => this.#child.kill('SIGKILL'));
    await this.#exited;
    limit.cancel();
  }

  #write(id: number, frame: Buffer): void {
    if (this.#rooms.has(id) && this.#pipe.writable) this.#pipe.write(frame);
  }

  #onData(reader: IpcFrameReader, bytes: Buffer): void {
    this.#silence.active();
    this.#hasStarted = true;
    try {
      reader.push(bytes, (frame) => this.#onFrame(frame));
    } catch (error) {
      this.#kill(error instanceof Error ? error.message : 'no frame');
    }
  }

  #onFrame({ kind, room, payload }: IpcFrame): void {
    const listener = this.#rooms.get(room);
    if (kind === 'audio') listener?.audio(readSamples(payload));
    else if (kind === 'gap') listener?.gap(readGap(payload));
    else {
      const { data: message } = FromBridge.safeParse(readIpcMessage(payload));
      if (!message) throw new CallError('TRANSPORT_LOST', 'the bridge sent an invalid message');
      if (message.type === 'left') this.#rooms.delete(room);
      if (message.type === 'fault') this.#options.onFault(message.why);
      listener?.message(message);
      if (message.type === 'left') this.#options.onLeft();
    }
  }

  /** A native call that never returns stops the heartbeat. */
  #check(silentMs: number): void {
    const maxMs = this.#hasStarted ? (this.#options.silentMs ?? SILENT_MS) : STARTING_MS;
    if (silentMs <= maxMs) return;
    this.#silence.close();
    this.#kill('it sent no heartbeat');
  }

  #kill(why: string): void {
    this.#why = why;
    this.#child.kill('SIGKILL');
  }

  #onExit(why: string): void {
    this.#silence.close();
    const rooms = [...this.#rooms.values()];
    this.#rooms.clear();
    for (const listener of rooms) listener.died();
    this.#options.onExit(why);
  }
}
