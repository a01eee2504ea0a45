import { once } from 'node:events';
import { WebSocket } from 'ws';

/** A message of the server, with its audio decoded. */
export interface Heard {
  readonly audio?: Buffer;
  readonly is_last?: boolean;
  readonly context_closed?: boolean;
  readonly context_id?: string;
  readonly error?: string;
}

/** A client of the speech sockets that keeps all it is told. */
export class SpeechSocket {
  readonly socket: WebSocket;
  readonly heard: Heard[] = [];
  /** ms of `performance.now()` at each of `heard`. */
  readonly at: number[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data) => {
      const { audio, ...rest } = JSON.parse(String(data));
      this.at.push(performance.now());
      this.heard.push(
        audio === undefined ? rest : { ...rest, audio: Buffer.from(audio, 'base64') },
      );
    });
    this.closed = new Promise((resolve) => {
      socket.once('close', (code, reason) => resolve({ code, reason: String(reason) }));
    });
  }

  /** @param url as in `http://127.0.0.1:8080`. */
  static async open(url: string, path: string, key = 'key'): Promise<SpeechSocket> {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/tts/${path}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const client = new SpeechSocket(socket);
    await once(socket, 'open');
    return client;
  }

  /** Sends messages, written as JSON unless they are text or bytes already. */
  say(...messages: readonly unknown[]): this {
    for (const message of messages) {
      const isRaw = typeof message === 'string' || message instanceof Uint8Array;
      this.socket.send(isRaw ? message : JSON.stringify(message));
    }
    return this;
  }

  /** All audio so far, of one context if it is named. */
  audio(contextId?: string): Buffer {
    const own = this.heard.filter(
      ({ context_id }) => contextId === undefined || context_id === contextId,
    );
    return Buffer.concat(own.flatMap(({ audio }) => (audio ? [audio] : [])));
  }

  /** What was said beside audio, in order. */
  get told(): Heard[] {
    return this.heard.filter(({ audio }) => audio === undefined);
  }
}
