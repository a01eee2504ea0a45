import { once } from 'node:events';
import { WebSocket } from 'ws';

/** A server message with decoded audio. */
export interface SpeechMessage {
  readonly audio?: Buffer;
  readonly is_last?: boolean;
  readonly context_closed?: boolean;
  readonly context_id?: string;
  readonly error?: string;
}

/** A client of the speech sockets that records all messages. */
export class SpeechSocket {
  readonly socket: WebSocket;
  readonly messages: SpeechMessage[] = [];
  /** Arrival times of the messages, in ms of `performance.now()`. */
  readonly arrivalTimes: number[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data) => {
      const { audio, ...rest } = JSON.parse(String(data));
      this.arrivalTimes.push(performance.now());
      this.messages.push(
        audio === undefined ? rest : { ...rest, audio: Buffer.from(audio, 'base64') },
      );
    });
    this.closed = new Promise((resolve) => {
      socket.once('close', (code, reason) => resolve({ code, reason: String(reason) }));
    });
  }

  /** @param url base URL, `http://127.0.0.1:8080` */
  static async open(url: string, path: string, key = 'key'): Promise<SpeechSocket> {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/tts/${path}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const client = new SpeechSocket(socket);
    await once(socket, 'open');
    return client;
  }

  /** Sends messages; values other than text and bytes are sent as JSON. */
  send(...messages: readonly unknown[]): this {
    for (const message of messages) {
      const isRaw = typeof message === 'string' || message instanceof Uint8Array;
      this.socket.send(isRaw ? message : JSON.stringify(message));
    }
    return this;
  }

  /** All audio received so far, optionally of one context. */
  audio(contextId?: string): Buffer {
    const own = this.messages.filter(
      ({ context_id }) => contextId === undefined || context_id === contextId,
    );
    return Buffer.concat(own.flatMap(({ audio }) => (audio ? [audio] : [])));
  }

  /** Messages without audio, in order. */
  get controlMessages(): SpeechMessage[] {
    return this.messages.filter(({ audio }) => audio === undefined);
  }
}
