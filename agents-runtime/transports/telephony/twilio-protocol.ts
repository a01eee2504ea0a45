import { z } from 'zod';
import { putNewest } from '../../../media/async/bounded-map.js';
import { isDtmfDigit } from '../../../media/audio/dtmf-tones.js';
import { decodeMulaw, encodeMulaw } from '../../../media/codec/g711.js';
import type { CarrierAction, CarrierEvent, TextCodec } from './carrier.js';

/** Hz in both directions. */
export const TWILIO_RATE = 8_000;
/** Largest text frame in characters: several seconds of audio. */
export const MAX_TWILIO_MESSAGE = 64 * 1024;
/** Custom parameters of a stream. Each name and value has at most 500 characters. */
const MAX_PARAMETERS = 100;
/** Marks that Twilio has not returned. The oldest are dropped beyond that. */
const MAX_MARKS = 256;

/** Twilio sends counters as decimal strings. Numbers are accepted, too. */
const counter = z.union([z.string().regex(/^\d{1,15}$/), z.number().int().nonnegative()]);
const short = z.string().max(200);
const sid = z.string().regex(/^\w{1,100}$/);

/** Messages from Twilio. Source: Twilio's documentation, Media Streams, WebSocket messages. */
const Incoming = z.discriminatedUnion('event', [
  z.object({ event: z.literal('connected') }),
  z.object({
    event: z.literal('start'),
    streamSid: sid,
    start: z.object({
      callSid: sid,
      mediaFormat: z.object({
        encoding: short,
        sampleRate: counter,
        channels: counter,
      }),
      customParameters: z
        .record(z.string().max(500), z.string().max(500))
        .refine((values) => Object.keys(values).length <= MAX_PARAMETERS)
        .default({}),
    }),
  }),
  z.object({
    event: z.literal('media'),
    sequenceNumber: counter.optional(),
    media: z.object({
      track: short.default('inbound'),
      timestamp: counter.optional(),
      payload: z.string(),
    }),
  }),
  z.object({ event: z.literal('dtmf'), dtmf: z.object({ digit: z.string().max(1) }) }),
  z.object({ event: z.literal('mark'), mark: z.object({ name: short }) }),
  z.object({ event: z.literal('stop') }),
]);
/**
 * A media message in Twilio's usual form, which arrives 50 times a second for each call. It needs no JSON parser.
 * Any other form is parsed as JSON, with the same result.
 */
const PLAIN_MEDIA =
  /^\{"event":"media","sequenceNumber":"\d{1,15}",(?:"streamSid":"\w{1,100}",)?"media":\{"track":"inbound","chunk":"\d{1,15}","timestamp":"(\d{1,15})","payload":"([A-Za-z0-9+/]*={0,2})"\}(?:,"streamSid":"\w{1,100}")?\}$/;

interface Media {
  readonly media: {
    readonly track: string;
    readonly timestamp?: string | number | undefined;
    readonly payload: string;
  };
}
type Start = Extract<z.output<typeof Incoming>, { event: 'start' }>;

const NOTHING = new Int16Array(0);

/** Converts the text frames of one Media Stream to events, and actions to frames. Invalid input never throws. */
export class TwilioCodec implements TextCodec {
  #streamSid: string | undefined;
  #pcm = NOTHING;
  #mulaw = Buffer.alloc(0);
  /** Marks that Twilio has not returned, with the number of clears before each. */
  readonly #marks = new Map<string, number>();
  #clears = 0;

  /** Parses a text frame. @returns undefined for a frame without a relevant event */
  read(text: string): CarrierEvent | undefined {
    if (text.length > MAX_TWILIO_MESSAGE) return fault('The message is too long');
    const plain = PLAIN_MEDIA.exec(text);
    if (plain) {
      const [, timestamp, payload = ''] = plain;
      return this.#onMedia({ media: { track: 'inbound', timestamp, payload } });
    }
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      return fault('The message is not JSON');
    }
    const { success, data: message } = Incoming.safeParse(json);
    if (!success) return fault('The message has no known form', this.#isStart(json));
    switch (message.event) {
      case 'connected':
        return undefined;
      case 'start':
        return this.#onStart(message);
      case 'media':
        return this.#onMedia(message);
      case 'dtmf':
        return onDigit(message.dtmf.digit);
      case 'mark':
        return this.#onMark(message.mark.name);
      case 'stop':
        return { type: 'close', reason: 'stop' };
    }
  }

  /**
   * Serialises an action. An unsupported message would end the stream (Twilio's error 31924).
   * @returns undefined before `open`, and for an action that Twilio does not support
   */
  write(action: CarrierAction): string | undefined {
    const streamSid = this.#streamSid;
    if (streamSid === undefined) return undefined;
    switch (action.type) {
      case 'audio': {
        // Neither a stream's id nor base64 contains characters that JSON escapes.
        const payload = this.#encoded(action.pcm);
        return `{"event":"media","streamSid":"${streamSid}","media":{"payload":"${payload}"}}`;
      }
      case 'mark':
        putNewest(this.#marks, action.name, this.#clears, MAX_MARKS);
        return JSON.stringify({ event: 'mark', streamSid, mark: { name: action.name } });
      case 'clear':
        this.#clears++;
        return JSON.stringify({ event: 'clear', streamSid });
      default:
        return undefined;
    }
  }

  /** An invalid `start` is fatal: the messages after it are unusable. */
  #isStart(json: unknown): boolean {
    const isObject = typeof json === 'object' && json !== null;
    return this.#streamSid === undefined && isObject && 'event' in json && json.event === 'start';
  }

  #onStart({ streamSid, start }: Start): CarrierEvent {
    if (this.#streamSid !== undefined) return fault('The stream has started before');
    const { encoding, sampleRate, channels } = start.mediaFormat;
    const isMulaw = encoding === 'audio/x-mulaw' && Number(channels) === 1;
    if (!isMulaw || Number(sampleRate) !== TWILIO_RATE) {
      return fault('The audio is not μ-law of 8 kHz, mono', true);
    }
    this.#streamSid = streamSid;
    return {
      type: 'open',
      streamId: streamSid,
      callId: start.callSid,
      sampleRate: TWILIO_RATE,
    };
  }

  #onMedia({ media }: Media): CarrierEvent | undefined {
    if (this.#streamSid === undefined) return fault('Audio came before the start');
    // A fork of a call also contains the agent's audio.
    if (media.track !== 'inbound') return undefined;
    const mulaw = decodeBase64(media.payload);
    if (!mulaw) return fault('The audio is not base64');
    if (mulaw.length === 0) return undefined;
    if (this.#pcm.length < mulaw.length) this.#pcm = new Int16Array(mulaw.length);
    decodeMulaw(mulaw, this.#pcm);
    return {
      type: 'audio',
      pcm: this.#pcm.subarray(0, mulaw.length),
      tsMs: numberOf(media.timestamp),
    };
  }

  #onMark(name: string): CarrierEvent | undefined {
    const sentAt = this.#marks.get(name);
    if (sentAt === undefined) return undefined; // unknown, or returned before
    this.#marks.delete(name);
    return { type: 'mark', name, cleared: sentAt < this.#clears };
  }

  #encoded(pcm: Int16Array): string {
    if (this.#mulaw.length < pcm.length) this.#mulaw = Buffer.alloc(pcm.length);
    encodeMulaw(pcm, this.#mulaw);
    return this.#mulaw.toString('base64', 0, pcm.length);
  }
}

function onDigit(digit: string): CarrierEvent {
  if (isDtmfDigit(digit)) return { type: 'dtmf', digit };
  return fault('The DTMF digit must be one of 0–9, A–D, * and #');
}

function fault(message: string, isFatal = false): CarrierEvent {
  return { type: 'error', message, isFatal };
}

function numberOf(value: string | number | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}

/** Node skips invalid characters, so that the result of invalid base64 is too short. */
function decodeBase64(text: string): Buffer | undefined {
  if (text.length % 4 !== 0) return undefined;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === (text.length / 4) * 3 - padding ? bytes : undefined;
}
