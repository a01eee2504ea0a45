/** A valid message of the gateway. */
type TwilioCommand =
  | { readonly type: 'media'; readonly bytes: Buffer }
  | { readonly type: 'mark'; readonly name: string }
  | { readonly type: 'clear' };

/** Twilio's error for an invalid message. Source: its error dictionary. */
export const PROTOCOL_ERROR = 'twilio-31924';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export type TwilioCommandResult =
  | { readonly type: 'command'; readonly command: TwilioCommand }
  | { readonly type: 'refused'; readonly what: string };

/** Parses a message as strictly as the carrier does. An invalid message ends the stream. */
export function readTwilioCommand(text: string, streamSid: string): TwilioCommandResult {
  const message = objectIn(text);
  if (!message) return refused('a message is not a JSON object');
  const { event } = message;
  if (event !== 'media' && event !== 'mark' && event !== 'clear') {
    return refused('a message has an event other than media, mark and clear');
  }
  if (message.streamSid !== streamSid) return refused(`${event} names another streamSid`);
  if (event === 'clear') return { type: 'command', command: { type: 'clear' } };
  const body = message[event];
  if (typeof body !== 'object' || body === null) return refused(`${event} has no ${event} object`);
  if (event === 'mark') {
    const { name } = body as { readonly name?: unknown };
    if (typeof name !== 'string') return refused('mark has no name');
    return { type: 'command', command: { type: 'mark', name } };
  }
  const { payload } = body as { readonly payload?: unknown };
  if (typeof payload !== 'string' || payload === '') return refused('media has no payload');
  if (!BASE64.test(payload)) return refused('the payload of media is not base64');
  return { type: 'command', command: { type: 'media', bytes: Buffer.from(payload, 'base64') } };
}

function refused(what: string): TwilioCommandResult {
  return { type: 'refused', what };
}

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

export interface StreamNames {
  readonly accountSid: string;
  readonly callSid: string;
  readonly streamSid: string;
}

/** Twilio's own messages, numbered in order. Source: Twilio, Media Streams WebSocket messages. */
export class TwilioMessages {
  readonly #names: StreamNames;
  #sequence = 0;
  #chunk = 0;

  constructor(names: StreamNames) {
    this.#names = names;
  }

  connected(): string {
    return JSON.stringify({ event: 'connected', protocol: 'Call', version: '1.0.0' });
  }

  start(customParameters: Readonly<Record<string, string>>): string {
    const { accountSid, callSid, streamSid } = this.#names;
    return this.#numbered('start', {
      start: {
        accountSid,
        streamSid,
        callSid,
        tracks: ['inbound'],
        mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
        customParameters,
      },
    });
  }

  /** @param timestampMs - since the stream began */
  media(bytes: Uint8Array, timestampMs: number): string {
    const media = {
      track: 'inbound',
      chunk: String(++this.#chunk),
      timestamp: String(timestampMs),
      payload: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64'),
    };
    return this.#numbered('media', { media });
  }

  mark(name: string): string {
    return this.#numbered('mark', { mark: { name } });
  }

  dtmf(digit: string): string {
    return this.#numbered('dtmf', { dtmf: { track: 'inbound_track', digit } });
  }

  stop(): string {
    const { accountSid, callSid } = this.#names;
    return this.#numbered('stop', { stop: { accountSid, callSid } });
  }

  #numbered(event: string, body: object): string {
    const sequenceNumber = String(++this.#sequence);
    return JSON.stringify({ event, sequenceNumber, streamSid: this.#names.streamSid, ...body });
  }
}
