import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Larger than the network's buffers. */
const PAYLOAD_BYTES = 32 * 1_048_576;
const SENT_FIRST = 4_096;

/** A WebSocket client that starts a frame above any size limit and sends the rest later. */
export class OversizedSender {
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Opens the socket of a URL (`http://host:port/path`) and waits for the handshake. */
  static async open(url: string, headers: Readonly<Record<string, string>> = {}) {
    const { hostname, port, pathname } = new URL(url);
    const socket = connect(Number(port), hostname);
    const lines = {
      Host: 'x',
      Upgrade: 'websocket',
      Connection: 'Upgrade',
      'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==',
      ...headers,
    };
    const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`GET ${pathname} HTTP/1.1\r\n${head.join('')}\r\n`);
    await once(socket, 'readable');
    socket.read();
    return new OversizedSender(socket);
  }

  /**
   * Sends the start of the frame; resolves when the server has responded. The response stays
   * unread.
   */
  async begin(): Promise<void> {
    // Final text frame, masked by zeros, with a length of 64 bits. Source: RFC 6455, section 5.2.
    const header = Buffer.alloc(14);
    header.writeUInt8(0x81, 0);
    header.writeUInt8(0xff, 1);
    header.writeBigUInt64BE(BigInt(PAYLOAD_BYTES), 2);
    const answered = once(this.#socket, 'readable');
    this.#socket.write(Buffer.concat([header, Buffer.alloc(SENT_FIRST)]));
    await answered;
  }

  /**
   * Sends the rest, then reads the close code. @throws if the server cuts the connection meanwhile
   */
  async finish(): Promise<number> {
    const rest = Buffer.alloc(PAYLOAD_BYTES - SENT_FIRST);
    await new Promise<void>((resolve, reject) => {
      this.#socket.once('error', reject);
      this.#socket.once('close', () => reject(new Error('The connection was cut off')));
      this.#socket.write(rest, (error) => (error ? reject(error) : resolve()));
    });
    const received: Buffer = this.#socket.read();
    this.#socket.destroy();
    // A close frame of the server ends with its code.
    const at = received.indexOf(0x88);
    return received.readUInt16BE(at + 2);
  }
}
