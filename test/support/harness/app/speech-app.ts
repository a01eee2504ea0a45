import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import type { Clock } from '../../../../agents-runtime/contract/clock.js';
import { systemClock } from '../../../../agents-runtime/timing/system-clock.js';
import { EncoderThread } from '../../../../media/codec/encoder-thread.js';
import { MODEL_CATALOGUE } from '../../../../media/models/catalogue.js';
import { CpuScheduler } from '../../../../media/runtime/cpu-scheduler.js';
import { Synthesiser } from '../../../../media/tts/synthesiser.js';
import { VoiceRegistry } from '../../../../media/tts/voice-registry.js';
import { ModelCatalogue } from '../../../../src/features/model-catalogue/model-catalogue.js';
import { speechSockets } from '../../../../src/features/speech/sockets/speech-sockets.js';
import { type SpeechParts, speechRoutes } from '../../../../src/features/speech/speech.routes.js';
import {
  type SpeechDictionaries,
  SpeechService,
  type SpeechVoices,
} from '../../../../src/features/speech/speech.service.js';
import type { SpeechCredits } from '../../../../src/features/speech/speech-quota.js';
import { SpeechQuota } from '../../../../src/features/speech/speech-quota.js';
import { VoiceCatalogue } from '../../../../src/features/voices/voice-catalogue.js';
import { ApiError } from '../../../../src/platform/http/api-error.js';
import type { Authenticator } from '../../../../src/platform/http/bearer-credentials.js';
import { RateLimiter } from '../../../../src/platform/http/rate-limit.js';
import { WebSocketRouter } from '../../../../src/platform/http/websocket-router.js';
import { Metrics } from '../../../../src/platform/observability/metrics.js';
import { createApp } from '../../../../src/server.js';
import { ToneVoice } from '../../fakes/tone-voice.js';

const FREE: SpeechCredits = { spendOnSpeech: async () => '0', refund: async () => undefined };

const NO_VOICES: SpeechVoices = { find: async () => undefined };

export type SpeechApp = Awaited<ReturnType<typeof startSpeechApp>>;

const NO_DICTIONARIES: SpeechDictionaries = {
  find: async () => {
    throw new ApiError('DICTIONARY_NOT_FOUND', 'No pronunciation dictionary has the given id');
  },
};

/** The speech endpoints on a listening app, with tone voices in English and Spanish. */
export async function startSpeechApp(
  options: {
    idleMs?: number;
    slots?: number;
    dictionaries?: SpeechDictionaries;
    ownVoices?: SpeechVoices;
    ownSlots?: number;
    credits?: SpeechCredits;
    clock?: Clock;
  } = {},
) {
  const voice = new ToneVoice();
  const spanish = new ToneVoice({ id: 'tono', languages: ['es'], sampleRate: 22050 });
  const scheduler = new CpuScheduler(1);
  const encoders = new EncoderThread(scheduler);
  const slots = new SpeechQuota({ total: options.slots ?? 64, perAccount: options.ownSlots ?? 0 });
  const models = new ModelCatalogue({ prefix: 'svc', llmModels: [] });
  const metrics = new Metrics();
  const logged: string[] = [];
  const parts: SpeechParts = {
    credits: options.credits ?? FREE,
    speech: new SpeechService({
      dictionaries: options.dictionaries ?? NO_DICTIONARIES,
      ownVoices: options.ownVoices ?? NO_VOICES,
      voices: new VoiceRegistry([voice, spanish]),
      builtinVoices: new VoiceCatalogue(MODEL_CATALOGUE, [voice, spanish]),
      models,
      textLimit: 5000,
    }),
    models,
    synthesiser: new Synthesiser(encoders),
    quota: slots,
    idleMs: options.idleMs ?? 10_000,
  };
  const authenticator: Authenticator = {
    authenticate: async (bearer) =>
      bearer === 'key' ? { accountId: 'a', keyId: 1, scopes: ['speech'] } : undefined,
  };
  const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(line) });
  const limiter = new RateLimiter({ requestsPerMinute: 0, failedAuthsPerMinute: 0 });
  const sockets = new WebSocketRouter(
    speechSockets({
      ...parts,
      textLimit: 5000,
      clock: options.clock ?? systemClock,
      maxMessageBytes: 1_048_576,
    }),
    { authenticator, log, limiter, addressOf: () => '127.0.0.1' },
  );
  const app = createApp({
    log,
    metrics,
    routes: speechRoutes(parts),
    authenticator,
    limiter,
    maxBodyBytes: 1_048_576,
    health: [],
    trustProxy: false,
  });
  const server = createServer(app).on('upgrade', sockets.handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const headers = { authorization: 'Bearer key', 'content-type': 'application/json' };
  return {
    url,
    port,
    voice,
    slots,
    logged,
    headers,
    /** Resources in use: utterances, encoder streams, CPU permits, quota slots. */
    underWay: () => [voice.active, encoders.openStreams, scheduler.busy, slots.used],
    /** Posts a body; anything but text or bytes is sent as JSON. */
    post: (path: string, body: unknown, signal?: AbortSignal) =>
      fetch(`${url}/api/v1/tts/${path}`, {
        method: 'POST',
        headers,
        body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
        ...(signal && { signal }),
      }),
    close: async () => {
      metrics.close();
      server.closeAllConnections();
      server.close();
      await encoders.close();
    },
  };
}

export const ALL_IDLE = [0, 0, 0, 0];
