import { pino } from 'pino';
import { afterAll, beforeAll } from 'vitest';
import {
  createWebhooksModule,
  type WebhooksModule,
} from '../../../../src/composition/webhooks.module.js';
import { AgentsRepository } from '../../../../src/features/agents/agents.repository.js';
import { throwNotFound } from '../../../../src/features/ownership/throw-not-found.js';
import { VoiceOverrides } from '../../../../src/features/voices/voice-overrides.js';
import { BUILTIN_VOICE, type ControlPlane, withControlPlane } from './control-plane-app.js';

/** The built-in English voice, a Spanish one, and one that is not installed. */
const VOICES = [
  BUILTIN_VOICE,
  { ...BUILTIN_VOICE, id: 'eva', name: 'Eva', language: 'es' },
  { ...BUILTIN_VOICE, id: 'far', name: 'Far', isInstalled: false },
];

/** Override checks against `VOICES` and a dictionary `dic`. */
export const OVERRIDES = new VoiceOverrides({
  voices: { list: () => VOICES },
  ownVoices: { find: async (_, id) => (id === 'mine' ? {} : undefined) },
  dictionaries: { find: async (_, id) => (id === 'dic' ? {} : throwNotFound('dictionary')) },
});

export interface WebhookApp extends ControlPlane {
  /** Available inside tests. */
  webhooks(): WebhooksModule;
}

/** Agents and webhooks behind a listening app that allows loopback addresses. */
export function withWebhookApp(): WebhookApp {
  let webhooks: WebhooksModule | undefined;
  const plane = withControlPlane({
    allowedHosts: ['127.0.0.1'],
    routes: (db) => {
      webhooks = createWebhooksModule({
        db,
        box: plane.box,
        agents: new AgentsRepository(db),
        log: pino({ level: 'silent' }),
        overrides: OVERRIDES,
        allowedHosts: ['127.0.0.1'],
        backoffMs: [50, 50],
        pollMs: 100,
      });
      return webhooks.routes;
    },
  });
  beforeAll(() => webhooks?.start({ isAlone: true }));
  afterAll(() => webhooks?.close());
  return Object.assign(plane, { webhooks: () => webhooks! });
}
