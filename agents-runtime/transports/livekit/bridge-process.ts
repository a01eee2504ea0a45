import { type ChildProcess, spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../contract/clock.js';
import { InactivityWatchdog } from '../../timing/inactivity-watchdog.js';
import {
  audioFrame,
  type IpcFrame,
  IpcFrameReader,
  messageFrame,
  readGap,
  readIpcMessage,
  readSamples,
} from './ipc-frames.js';
import type { FromBridge, ToBridge } from './ipc-messages.js';

const PROGRAM = fileURLToPath(new URL('./bridge/bridge-program.js', import.meta.url));
/** Where the program finds its pipe. */
const PIPE = 3;
/** Of our environment, which holds secrets, it sees these alone; the last two say whose certificates it trusts. */
const HANDED_ON = ['PATH', 'SystemRoot', 'SSL_CERT_FILE', 'SSL_CERT_DIR'];
/** A bridge that says nothing for so long hangs: it beats every second, once it has started. */
const SILENT_MS = 8_000;
const STARTING_MS = 30_000;
/** One that is told to end ends within this. */
const ENDING_MS = 3_000;

/** What the gateway hears of a room. */
export interface RoomListener {
  message(message: FromBridge): void;
  /** Mono 16 kHz; the receiver owns it. */
  audio(samples: Int16Array): void;
  /** So many samples of the caller's are missing here. */
  gap(samples: number): void;
  /** The bridge is gone, and the room with it. */
  died(): void;
}

/** How the gateway talks to a room. */
export interface RoomPort {
  /** Bytes that wait for the bridge to take them. */
  readonly backlogBytes: number;
  tell(message: ToBridge): void;
  audio(samples: Int16Array): void;
}

export interface BridgeProcessOptions {
  readonly clock: Clock;
  readonly silentMs?: number | undefined;
  /** Told once, when the process is gone and its rooms have been told. */
  readonly onExit: (why: string) => void;
  /** Something went wrong that ended nothing. */
  readonly onFault: (why: string) => void;
  /** A room was left. */
  readonly onLeft: () => void;
}

/** One child process that holds rooms; the native library's faults end it, and not the gateway. */
export class BridgeProcess {
  readonly #options: BridgeProcessOptions;
  readonly #child: ChildProcess;
  readonly #pipe: Duplex;
  readonly #rooms = new Map<number, RoomListener>();
  readonly #exited: Promise<void>;
  readonly #watch: InactivityWatchdog;
  #hasStarted = false;
  #served = 0;
  #why = 'ended';

  constructor(options: BridgeProcessOptions) {
    this.#options = options;
    this.#child = spawn(process.execPath, [PROGRAM], {
      // Only on Windows does `overlapped` differ from `pipe`: a pipe that is read and written at once.
      stdio: ['ignore', 'ignore', 'ignore', 'overlapped'],
      env: Object.fromEntries(HANDED_ON.map((name) => [name, process.env[name]])),
    });
    this.#pipe = this.#child.stdio[PIPE] as Duplex;
    const reader = new IpcFrameReader();
    this.#pipe.on('data', (bytes: Buffer) => this.#hear(reader, bytes));
    // A write that finds it dead; its end is told by `close`.
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
    this.#watch = new InactivityWatchdog(options.clock, (silentMs) => this.#check(silentMs));
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Rooms that are open. */
  get rooms(): number {
    return this.#rooms.size;
  }

  /** Rooms that were opened since it started. */
  get served(): number {
    return this.#served;
  }

  open(ears: RoomListener): RoomPort {
    const id = ++this.#served;
    const pipe = this.#pipe;
    this.#rooms.set(id, ears);
    return {
      get backlogBytes() {
        return pipe.writableLength;
      },
      tell: (message) => this.#write(id, messageFrame(id, message)),
      audio: (samples) => this.#write(id, audioFrame(id, samples)),
    };
  }

  /** Ends it, whatever it does. */
  async close(): Promise<void> {
    this.#why = 'closed';
    this.#pipe.end();
    const limit = this.#options.clock.after(ENDING_MS, () => this.#child.kill('SIGKILL'));
    await this.#exited;
    limit.cancel();
  }

  #write(id: number, frame: Buffer): void {
    if (this.#rooms.has(id) && this.#pipe.writable) this.#pipe.write(frame);
  }

  #hear(reader: IpcFrameReader, bytes: Buffer): void {
    this.#watch.heard();
    this.#hasStarted = true;
    try {
      reader.push(bytes, (frame) => this.#take(frame));
    } catch (error) {
      this.#kill(error instanceof Error ? error.message : 'no frame');
    }
  }

  #take({ kind, room, payload }: IpcFrame): void {
    const ears = this.#rooms.get(room);
    if (kind === 'audio') ears?.audio(readSamples(payload));
    else if (kind === 'gap') ears?.gap(readGap(payload));
    else {
      const message = readIpcMessage(payload) as FromBridge;
      if (message.type === 'left') this.#rooms.delete(room);
      if (message.type === 'fault') this.#options.onFault(message.why);
      ears?.message(message);
      if (message.type === 'left') this.#options.onLeft();
    }
  }

  /** A native call that never returns stops its beat. */
  #check(silentMs: number): void {
    const mostMs = this.#hasStarted ? (this.#options.silentMs ?? SILENT_MS) : STARTING_MS;
    if (silentMs <= mostMs) return;
    this.#watch.close();
    this.#kill('it said nothing any more');
  }

  #kill(why: string): void {
    this.#why = why;
    this.#child.kill('SIGKILL');
  }

  #onExit(why: string): void {
    this.#watch.close();
    const rooms = [...this.#rooms.values()];
    this.#rooms.clear();
    for (const ears of rooms) ears.died();
    this.#options.onExit(why);
  }
}
