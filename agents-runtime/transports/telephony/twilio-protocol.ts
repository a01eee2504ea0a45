import { z } from 'zod';
import { decodeMulaw, encodeMulaw } from '../../../media/codec/g711.js';
import type { CarrierAction, CarrierEvent, TextCodec } from './carrier.js';

/** Hz of both legs. */
export const TWILIO_RATE = 8_000;
/** Largest text frame that is read, characters: several seconds of audio. */
export const MAX_TWILIO_MESSAGE = 64 * 1024;
/** Values that the answer passed on, of which each name and value has less than 500 characters. */
const MAX_PARAMETERS = 100;
/** Marks that have not come back; older ones are forgotten, as whoever waits for one has a limit too. */
const MAX_MARKS = 256;

/** Counters of this wire are decimal strings; numbers are taken as well. */
const counter = z.union([z.string().regex(/^\d{1,15}$/), z.number().int().nonnegative()]);
const short = z.string().max(200);
const sid = z.string().regex(/^\w{1,100}$/);

/** Source: the telephony notes, §1: Twilio Media Streams, Twilio → us. */
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
 * Audio as Twilio writes it, fifty times a second a call: what has this form needs no parser. All else
 * is read as JSON, with the same result.
 */
const PLAIN_MEDIA =
  /^\{"event":"media","sequenceNumber":"(\d{1,15})",(?:"streamSid":"\w{1,100}",)?"media":\{"track":"inbound","chunk":"\d{1,15}","timestamp":"(\d{1,15})","payload":"([A-Za-z0-9+/]*={0,2})"\}(?:,"streamSid":"\w{1,100}")?\}$/;

interface Media {
  readonly sequenceNumber?: string | number | undefined;
  readonly media: {
    readonly track: string;
    readonly timestamp?: string | number | undefined;
    readonly payload: string;
  };
}
type Start = Extract<z.output<typeof Incoming>, { event: 'start' }>;

const NOTHING = new Int16Array(0);

/** One Media Stream's text frames ⇄ events and actions. It throws at nothing that comes in. */
export class TwilioCodec implements TextCodec {
  #streamSid: string | undefined;
  #pcm = NOTHING;
  #mediaFormat = Buffer.alloc(0);
  /** Marks that are on their way, with the number of clears before each. */
  readonly #marks = new Map<string, number>();
  #clears = 0;

  /** Reads a text frame. @returns undefined for one that says nothing of use. */
  read(text: string): CarrierEvent | undefined {
    if (text.length > MAX_TWILIO_MESSAGE) return fault('The message is too long');
    const plain = PLAIN_MEDIA.exec(text);
    if (plain) {
      const [, sequenceNumber, timestamp, payload = ''] = plain;
      return this.#onMedia({ sequenceNumber, media: { track: 'inbound', timestamp, payload } });
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
   * Writes an action. @returns undefined before `open`, when the stream has no name yet, and for what
   * Twilio's sockets have no message for: anything else would end the stream (its error 31924).
   */
  write(action: CarrierAction): string | undefined {
    const streamSid = this.#streamSid;
    if (streamSid === undefined) return undefined;
    switch (action.type) {
      case 'audio': {
        // Neither a stream's name nor base64 has anything that JSON would escape.
        const payload = this.#encoded(action.pcm);
        return `{"event":"media","streamSid":"${streamSid}","media":{"payload":"${payload}"}}`;
      }
      case 'mark':
        this.#remember(action.name);
        return JSON.stringify({ event: 'mark', streamSid, mark: { name: action.name } });
      case 'clear':
        this.#clears++;
        return JSON.stringify({ event: 'clear', streamSid });
      default:
        return undefined;
    }
  }

  /** Without a start that can be read nothing that follows can be. */
  #isStart(json: unknown): boolean {
    const isObject = typeof json === 'object' && json !== null;
    return this.#streamSid === undefined && isObject && 'event' in json && json.event === 'start';
  }

  #onStart({ streamSid, start }: Start): CarrierEvent {
    if (this.#streamSid !== undefined) return fault('The stream has started before');
    const { encoding, sampleRate, channels } = start.mediaFormat;
    const isSpoken = encoding === 'audio/x-mulaw' && Number(channels) === 1;
    if (!isSpoken || Number(sampleRate) !== TWILIO_RATE) {
      return fault('The audio is not μ-law of 8 kHz, mono', true);
    }
    this.#streamSid = streamSid;
    return {
      type: 'open',
      streamId: streamSid,
      callId: start.callSid,
      custom: start.customParameters,
      sampleRate: TWILIO_RATE,
    };
  }

  #onMedia({ sequenceNumber, media }: Media): CarrierEvent | undefined {
    if (this.#streamSid === undefined) return fault('Audio came before the start');
    // Forks of calls carry the other leg too; what was sent is not what was heard.
    if (media.track !== 'inbound') return undefined;
    const wire = decodeBase64(media.payload);
    if (!wire) return fault('The audio is not base64');
    if (wire.length === 0) return undefined;
    if (this.#pcm.length < wire.length) this.#pcm = new Int16Array(wire.length);
    decodeMulaw(wire, this.#pcm);
    return {
      type: 'audio',
      pcm: this.#pcm.subarray(0, wire.length),
      tsMs: numberOf(media.timestamp),
      seq: numberOf(sequenceNumber),
    };
  }

  #onMark(name: string): CarrierEvent | undefined {
    const sentAt = this.#marks.get(name);
    if (sentAt === undefined) return undefined; // none of ours, or back before
    this.#marks.delete(name);
    return { type: 'mark', name, cleared: sentAt < this.#clears };
  }

  #remember(name: string): void {
    this.#marks.delete(name);
    this.#marks.set(name, this.#clears);
    if (this.#marks.size <= MAX_MARKS) return;
    const [oldest] = this.#marks.keys();
    this.#marks.delete(oldest!);
  }

  #encoded(pcm: Int16Array): string {
    if (this.#mediaFormat.length < pcm.length) this.#mediaFormat = Buffer.alloc(pcm.length);
    encodeMulaw(pcm, this.#mediaFormat);
    return this.#mediaFormat.toString('base64', 0, pcm.length);
  }
}

function onDigit(digit: string): CarrierEvent {
  if (/^[0-9*#A-D]$/.test(digit)) return { type: 'dtmf', digit };
  return fault('The digit is none');
}

function fault(message: string, isFatal = false): CarrierEvent {
  return { type: 'error', message, isFatal };
}

function numberOf(value: string | number | undefined): number | undefined {
  return value === undefined ? undefined : Number(value);
}

/** Node leaves out what is no base64, so that what comes of it is too short. */
function decodeBase64(text: string): Buffer | undefined {
  if (text.length % 4 !== 0) return undefined;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === (text.length / 4) * 3 - padding ? bytes : undefined;
}
