import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** A transcription request: form fields and audio file. */
export interface TranscriptionRequest {
  readonly headers: IncomingHttpHeaders;
  readonly fields: Readonly<Record<string, string>>;
  readonly wav: Buffer;
}

export interface SpeechRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: Readonly<Record<string, unknown>>;
}

/** An OpenAI-compatible server for transcription and speech on loopback. */
export class SpeechProviderServer {
  readonly transcripts: TranscriptionRequest[] = [];
  readonly speeches: SpeechRequest[] = [];
  /** The response to every transcription request. */
  transcription: object = { text: 'wo ist mein Paket', language: 'german' };
  /** Bytes of audio per character of text. Default: 20 ms. */
  bytesPerCharacter = 960;
  /** Responds instead of the server. */
  intercept: ((response: ServerResponse) => void) | undefined;
  readonly #http = createServer((request, response) => {
    this.#receive(request, response).catch(() => response.destroy());
  });

  static async open(): Promise<SpeechProviderServer> {
    const server = new SpeechProviderServer();
    server.#http.listen(0, '127.0.0.1');
    await once(server.#http, 'listening');
    return server;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}/v1`;
  }

  close(): void {
    this.#http.closeAllConnections();
    this.#http.close();
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const { headers } = request;
    if (request.url === '/v1/audio/transcriptions') {
      const form = await new Response(body, {
        headers: { 'content-type': headers['content-type'] ?? '' },
      }).formData();
      const file = form.get('file') as File;
      form.delete('file');
      const fields = Object.fromEntries([...form].map(([name, value]) => [name, String(value)]));
      this.transcripts.push({ headers, fields, wav: Buffer.from(await file.arrayBuffer()) });
      if (this.intercept) return this.intercept(response);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(this.transcription));
      return;
    }
    const speechRequest = JSON.parse(body.toString()) as Record<string, unknown>;
    this.speeches.push({ headers, body: speechRequest });
    if (this.intercept) return this.intercept(response);
    response.writeHead(200, { 'content-type': 'audio/pcm' });
    sendTone(response, String(speechRequest.input).length * this.bytesPerCharacter);
  }
}

/**
 * Streams a tone in chunks with an odd number of bytes. If `isWhole` is false, destroys the
 * connection instead of ending the response.
 */
export function sendTone(response: ServerResponse, bytes: number, isWhole = true): void {
  const pcm = Buffer.alloc(bytes & ~1);
  for (let i = 0; i < pcm.length; i += 2) pcm.writeInt16LE(Math.round(8_000 * Math.sin(i / 12)), i);
  for (let at = 0; at < pcm.length; at += 4_801) response.write(pcm.subarray(at, at + 4_801));
  if (isWhole) response.end();
  else setTimeout(() => response.destroy(), 20);
}
