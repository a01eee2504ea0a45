import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import type { LanguageModel } from '../../../agents-runtime/contract/language-model.js';
import { CallEventRecorder } from '../../../src/calls/history/call-event-recorder.js';
import { CallHistoryRepository } from '../../../src/calls/history/call-history.repository.js';
import { SummariesRepository } from '../../../src/calls/history/summaries.repository.js';
import { SummaryService } from '../../../src/calls/history/summaries.service.js';
import { CallTurnsRepository } from '../../../src/calls/store/call-turns.repository.js';
import { createWebhooksModule } from '../../../src/composition/webhooks.module.js';
import { AgentsRepository } from '../../../src/features/agents/agents.repository.js';
import { BUILT_IN_RESPONDER } from '../../../src/features/model-catalogue/model-catalogue.js';
import { connect } from '../../../src/platform/db/connect.js';
import { SignedLinks } from '../../../src/platform/http/signed-links.js';
import { SecretBox } from '../../../src/platform/secrets/secret-box.js';
import { SecretKeys } from '../../../src/platform/secrets/secret-keys.js';
import { WebhookReceiver } from '../../support/fakes/webhook-receiver.js';
import { OVERRIDES } from '../../support/harness/app/webhook-app.js';
import { makeAgent, StoredWebhookCalls } from '../../support/harness/call/webhook-calls.js';
import { withDatabase } from '../../support/harness/postgres/test-database.js';

const database = withDatabase({ emptied: 'before-each' });
const secrets = new SecretKeys(['the secret of the tests']);
const box = new SecretBox(secrets);
const links = new SignedLinks(secrets);
/** Timeout for expected changes on a busy machine, in milliseconds. */
const TIMEOUT_MS = 25_000;
const log = pino({ level: 'silent' });
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function saying(text: string, prompts: string[] = []): LanguageModel {
  return {
    id: 'script',
    async *generate({ history }) {
      prompts.push(history.at(-1)!.text);
      yield text;
    },
  };
}

const BUILT_IN: LanguageModel = {
  id: BUILT_IN_RESPONDER,
  generate: () => {
    throw new Error('it is no language model');
  },
};

/** A gateway that ends and summarises calls; `start` starts the summaries. */
async function gateway(model: LanguageModel = BUILT_IN, origin: string | null = 'https://p.test') {
  const db = connect(database.connection);
  const webhooks = createWebhooksModule({
    db,
    box,
    agents: new AgentsRepository(db),
    overrides: OVERRIDES,
    log,
    allowedHosts: ['127.0.0.1'],
  });
  await webhooks.start({ isAlone: true });
  const events = new CallEventRecorder({
    events: webhooks.events,
    summaries: new SummariesRepository(db),
    links,
    origin: () => origin ?? undefined,
  });
  const summaries = new SummaryService({
    db,
    log,
    repository: new SummariesRepository(db),
    agents: new AgentsRepository(db),
    turns: new CallTurnsRepository(db, events),
    llmRegistry: { get: () => model },
    events,
  });
  const hook = await WebhookReceiver.open();
  closers.push(async () => {
    await summaries.close();
    await webhooks.close();
    await hook.close();
    await db.destroy();
  });
  const agent = await makeAgent(database.db, box, [
    { url: hook.url(), events: ['call.completed'] },
  ]);
  return { calls: new StoredWebhookCalls(database.db, events), events, summaries, hook, agent };
}

type Gateway = Awaited<ReturnType<typeof gateway>>;

async function talk({ calls, agent }: Gateway): Promise<string> {
  const callId = await calls.start(agent);
  await calls.turn(callId, 0, 'agent', 'Hello!');
  await calls.turn(callId, 1, 'user', 'When do you open?');
  await calls.turn(callId, 2, 'agent', 'At six.');
  await calls.end(callId);
  return callId;
}

async function rowOf(callId: string) {
  return database.db('calls').where({ call_id: callId }).first();
}

const EXTRACT = 'The caller asked: “When do you open?” The agent answered: “At six.”';

describe('call.completed event', () => {
  it("contains the transcript link and the LLM's summary, which is also stored", async () => {
    const prompts: string[] = [];
    const one = await gateway(saying('They asked for the hours.', prompts));
    one.summaries.start();
    const callId = await talk(one);
    const [event] = await one.hook.waitFor(1, TIMEOUT_MS);
    const { transcript_uri: uri, ...data } = event!.body.data;
    expect(data).toMatchObject({
      transcript_summary: 'They asked for the hours.',
      duration_seconds: expect.any(Number),
      credits_used: 0,
      ended_reason: 'user_hangup',
    });
    expect(new URL(uri).pathname).toBe(`/api/v1/downloads/${callId}/transcript.json`);
    const { pathname, search } = new URL(uri);
    expect(links.isValid(pathname + search)).toBe(true);
    expect(prompts).toHaveLength(1);
    expect(await rowOf(callId)).toMatchObject({
      transcription_summary: 'They asked for the hours.',
      summary_due_at: null,
    });
    const found = await new CallHistoryRepository(database.db).find(one.agent.accountId, {});
    const order = { sortBy: 'summary', sortDir: 'asc' } as const;
    const [row] = await found.list(order, { offset: 0, limit: 1 });
    expect(row!.transcription_summary).toBe('They asked for the hours.');
  });

  it('contains an extract if the agent has no LLM or the LLM fails', async () => {
    const failing: LanguageModel = {
      id: 'script',
      async *generate() {
        yield 'The ';
        throw new Error('gone');
      },
    };
    for (const model of [BUILT_IN, failing]) {
      const one = await gateway(model);
      one.summaries.start();
      await talk(one);
      const [event] = await one.hook.waitFor(1, TIMEOUT_MS);
      expect(event!.body.data.transcript_summary).toBe(EXTRACT);
    }
  });

  it('is sent immediately and without a link for a call without turns or without a public URL', async () => {
    const silent = await gateway();
    await silent.calls.end(await silent.calls.start(silent.agent));
    const [first] = await silent.hook.waitFor(1, TIMEOUT_MS);
    expect(first!.body.data).toMatchObject({ transcript_uri: null, transcript_summary: null });

    const homeless = await gateway(BUILT_IN, null);
    homeless.summaries.start();
    await talk(homeless);
    const [second] = await homeless.hook.waitFor(1, TIMEOUT_MS);
    expect(second!.body.data).toMatchObject({ transcript_uri: null, transcript_summary: EXTRACT });
  });

  it('waits for its summary for less than half a minute, in the same transaction', async () => {
    const one = await gateway(); // without a running summary job
    const callId = await talk(one);
    const { rows } = await database.db.raw(
      `select extract(epoch from due_at - ended_at)::float8 as held, status
       from webhook_deliveries join calls using (call_id) where call_id = ?`,
      [callId],
    );
    expect(rows).toMatchObject([{ status: 'pending' }]);
    expect(rows[0].held).toBeGreaterThan(20);
    expect(rows[0].held).toBeLessThanOrEqual(27);
    // Makes the waiting time expire.
    const past = database.db.raw(`now() - interval '10 s'`);
    await database.db('webhook_deliveries').update({ due_at: past });
    const [event] = await one.hook.waitFor(1, TIMEOUT_MS);
    expect(event!.body.data).toMatchObject({ transcript_summary: null });
    // A later summary is stored but causes no second event.
    await one.summaries.make(callId);
    expect((await rowOf(callId)).transcription_summary).toBe(EXTRACT);
    expect(one.hook.requests).toHaveLength(1);
  });

  it('contains a summary from another gateway if the first one dies', async () => {
    const dead = await gateway();
    const callId = await talk(dead);
    // The state after a kill: the job is locked for hours, and its waiting time is over.
    await database.db.raw(
      `update graphile_worker._private_jobs set locked_at = now(), locked_by = 'dead', attempts = 1
       where key like 'summarise-call%'`,
    );
    await database
      .db('calls')
      .update({ summary_due_at: database.db.raw(`now() - interval '1 s'`) });
    dead.summaries.start();
    const [event] = await dead.hook.waitFor(1, TIMEOUT_MS);
    expect(event!.body).toMatchObject({ call_id: callId, data: { transcript_summary: EXTRACT } });
  });

  it('loses its summary with the last turn', async () => {
    const one = await gateway();
    const callId = await talk(one);
    await one.summaries.make(callId);
    await database.db('call_turns').where({ call_id: callId }).delete();
    expect(await rowOf(callId)).toMatchObject({
      transcription_summary: null,
      has_transcript: false,
    });
  });
});
