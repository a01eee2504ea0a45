import type { Response } from 'express';
import { AUDIO_FORMATS } from '../../../media/codec/audio-formats.js';
import { MediaError } from '../../../media/errors.js';
import type { SpeechJob, Synthesiser } from '../../../media/tts/synthesiser.js';
import { ApiError } from '../../platform/http/api-error.js';
import {
  type Principal,
  type Route,
  type RouteResponse,
  route,
  SENT,
} from '../../platform/http/route.js';
import { codePoints } from '../../platform/http/validation/coerce.js';
import type { ModelCatalogue } from '../model-catalogue/model-catalogue.js';
import { type SpeechRequest, speechRequest } from './speech.schema.js';
import type { SpeechService } from './speech.service.js';
import type { SpeechQuota } from './speech-quota.js';
import { insufficientCredits, type SpeechCredits } from './speech-quota.js';

export interface SpeechParts {
  readonly credits: SpeechCredits;
  readonly speech: SpeechService;
  readonly models: ModelCatalogue;
  readonly synthesiser: Synthesiser;
  readonly quota: SpeechQuota;
  /** After this time without reading, a client is disconnected. */
  readonly idleMs: number;
}

/** `/tts/speech/stream` and `/tts/speech`. */
export function speechRoutes(parts: SpeechParts): readonly Route[] {
  const body = speechRequest(parts.models.ttsModels.map(({ id }) => id));
  const shared = { method: 'post', scope: 'speech', tag: 'Speech', body, responses } as const;
  return [
    route({
      ...shared,
      path: '/tts/speech/stream',
      summary: 'Synthesise a text as a stream',
      handle: (context) =>
        speakWithinQuota(parts, context, async (job) => {
          const startedAt = performance.now();
          const pieces = parts.synthesiser.stream(job, context.signal);
          try {
            const first = await pieces.next();
            const firstAudioMs = performance.now() - startedAt;
            writeHead(context.res, job).set('X-First-Audio-Ms', firstAudioMs.toFixed(1));
            await sendAudio(context.res, prependResult(first, pieces), parts.idleMs);
          } finally {
            await pieces.return(undefined);
          }
        }),
    }),
    route({
      ...shared,
      path: '/tts/speech',
      summary: 'Synthesise a text as one file',
      handle: (context) =>
        speakWithinQuota(parts, context, async (job) => {
          const { pieces, length } = await parts.synthesiser.synthesiseFile(job, context.signal);
          writeHead(context.res, job).set('Content-Length', String(length));
          await sendAudio(context.res, pieces, parts.idleMs);
        }),
    }),
  ];
}

const responses: Readonly<Record<number, RouteResponse>> = {
  200: {
    description: 'The audio',
    mediaTypes: [...new Set([...AUDIO_FORMATS.values()].map((format) => format.contentType))],
  },
  400: { description: 'The text is too long, or the model, voice and language do not match' },
  402: { description: 'The account has too few credits' },
  404: { description: 'No such voice or dictionary' },
  409: { description: 'No voice of this language is installed' },
  503: { description: 'The gateway has too many requests' },
};

interface SpeechRequestContext {
  readonly principal: Principal;
  readonly body: SpeechRequest;
  readonly signal: AbortSignal;
  readonly res: Response;
}

/** Runs `speak` within the quota, paid with credits. */
async function speakWithinQuota(
  { speech, quota, credits }: SpeechParts,
  { principal: { accountId }, body, signal, res }: SpeechRequestContext,
  speak: (job: SpeechJob) => Promise<void>,
): Promise<typeof SENT> {
  const job = await speech.resolve(accountId, body);
  const free = quota.acquire(accountId);
  try {
    const paid = await credits.spendOnSpeech(accountId, codePoints(body.text));
    if (paid === undefined) throw insufficientCredits();
    try {
      await speak(job);
    } catch (error) {
      // The client has disconnected.
      if (signal.aborted) return SENT;
      if (!res.headersSent) await credits.refund(accountId, paid);
      throw asApiError(error);
    }
  } finally {
    free();
  }
  return SENT;
}

function asApiError(error: unknown): unknown {
  if (!(error instanceof MediaError)) return error;
  if (error.code === 'TOO_LONG') {
    const sentence =
      'The audio is too long for one response: use /tts/speech/stream, or send a shorter text';
    return new ApiError('TEXT_TOO_LONG', sentence, { cause: error });
  }
  if (error.code === 'QUEUE_FULL') {
    return new ApiError('OVERLOADED', 'This gateway buffers too much speech: try again later', {
      retryAfterS: 2,
      cause: error,
    });
  }
  return error;
}

function writeHead(response: Response, { format }: SpeechJob): Response {
  return response.status(200).set({
    'Content-Type': format.contentType,
    'X-Audio-Sample-Rate': String(format.sampleRate),
    'Cache-Control': 'no-store',
    // Prevents proxies from buffering the stream.
    'X-Accel-Buffering': 'no',
  });
}

/** Prepends a result that was already pulled. */
async function* prependResult<T>(
  first: IteratorResult<T>,
  rest: AsyncGenerator<T>,
): AsyncGenerator<T> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}

/**
 * Writes chunks and ends the response. Pulls the next chunk when the client has read the previous one, so
 * a client that stops reading stops synthesis. After `idleMs` without reading it is disconnected.
 */
async function sendAudio(
  response: Response,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  idleMs: number,
): Promise<void> {
  for await (const chunk of chunks) {
    if (response.destroyed) return;
    if (!response.write(chunk)) await waitFor(response, 'drain', idleMs);
  }
  if (response.destroyed) return;
  response.end();
  if (!response.writableFinished) await waitFor(response, 'finish', idleMs);
}

/** Resolves at the event or when the connection closes. Disconnects the client after `idleMs`. */
function waitFor(response: Response, event: 'drain' | 'finish', idleMs: number): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(() => response.destroy(), idleMs);
    const done = () => {
      clearTimeout(timer);
      response.off(event, done);
      response.off('close', done);
      resolve();
    };
    response.on(event, done);
    response.on('close', done);
  });
}
