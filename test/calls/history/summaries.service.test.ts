import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import type { LanguageModel } from '../../../agents-runtime/contract/language-model.js';
import { CallCompletedEvents } from '../../../src/calls/history/call-completed-events.js';
import { CallHistoryRepository } from '../../../src/calls/history/call-history.repository.js';
import { SummariesRepository } from '../../../src/calls/history/summaries.repository.js';
import { SummaryService } from '../../../src/calls/history/summaries.service.js';
import { CallTurnsRepository } from '../../../src/calls/store/call-turns.repository.js';
import { createWebhooksModule } from '../../../src/composition/webhooks.module.js';
import { AgentsRepository } from '../../../src/features/agents/agents.repository.js';
import { BUILT_IN_RESPONDER } from '../../../src/features/model-catalog/model-catalog.js';
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
/** For what is true soon, however busy the machine is. */
const PATIENCE_MS = 25_000;
const log = pino({ level: 'silent' });
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function saying(text: string, asked: string[] = []): LanguageModel {
  return {
    id: 'script',
    async *generate({ history }) {
      asked.push(history.at(-1)!.text);
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

/** What ends calls, and what sums them up; `start` begins to do so. */
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
  const events = new CallCompletedEvents({
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

describe('the end of a call', () => {
  it('is told with a link to its transcript and what the model made of it, and the row has it', async () => {
    const asked: string[] = [];
    const one = await gateway(saying('They asked for the hours.', asked));
    one.summaries.start();
    const callId = await talk(one);
    const [told] = await one.hook.waitFor(1, PATIENCE_MS);
    const { transcript_uri: uri, ...data } = told!.body.data;
    expect(data).toMatchObject({
      transcript_summary: 'They asked for the hours.',
      duration_seconds: expect.any(Number),
      credits_used: 0,
      ended_reason: 'user_hangup',
    });
    expect(new URL(uri).pathname).toBe(`/api/v1/downloads/${callId}/transcript.json`);
    const { pathname, search } = new URL(uri);
    expect(links.isValid(pathname + search)).toBe(true);
    expect(asked).toHaveLength(1);
    expect(await rowOf(callId)).toMatchObject({
      transcription_summary: 'They asked for the hours.',
      summary_due_at: null,
    });
    const found = await new CallHistoryRepository(database.db).find(one.agent.accountId, {});
    const order = { sortBy: 'summary', sortDir: 'asc' } as const;
    const [row] = await found.list(order, { offset: 0, limit: 1 });
    expect(row!.transcription_summary).toBe('They asked for the hours.');
  });

  it('is told with an extract where the agent has no language model, or that fails', async () => {
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
      const [told] = await one.hook.waitFor(1, PATIENCE_MS);
      expect(told!.body.data.transcript_summary).toBe(EXTRACT);
    }
  });

  it('is told at once and without a link where nothing was said or no address is known', async () => {
    const silent = await gateway();
    await silent.calls.end(await silent.calls.start(silent.agent));
    const [first] = await silent.hook.waitFor(1, PATIENCE_MS);
    expect(first!.body.data).toMatchObject({ transcript_uri: null, transcript_summary: null });

    const homeless = await gateway(BUILT_IN, null);
    homeless.summaries.start();
    await talk(homeless);
    const [second] = await homeless.hook.waitFor(1, PATIENCE_MS);
    expect(second!.body.data).toMatchObject({ transcript_uri: null, transcript_summary: EXTRACT });
  });

  it('is held for its summary for less than half a minute, in the same transaction', async () => {
    const one = await gateway(); // nobody sums up
    const callId = await talk(one);
    const { rows } = await database.db.raw(
      `select extract(epoch from due_at - ended_at)::float8 as held, status
       from webhook_deliveries join calls using (call_id) where call_id = ?`,
      [callId],
    );
    expect(rows).toMatchObject([{ status: 'pending' }]);
    expect(rows[0].held).toBeGreaterThan(20);
    expect(rows[0].held).toBeLessThanOrEqual(27);
    // Its time is up.
    const past = database.db.raw(`now() - interval '10 s'`);
    await database.db('webhook_deliveries').update({ due_at: past });
    const [told] = await one.hook.waitFor(1, PATIENCE_MS);
    expect(told!.body.data).toMatchObject({ transcript_summary: null });
    // A summary that comes later is the row's all the same, and nobody is told twice.
    await one.summaries.make(callId);
    expect((await rowOf(callId)).transcription_summary).toBe(EXTRACT);
    expect(one.hook.requests).toHaveLength(1);
  });

  it('has its summary made by another gateway when the first one died over it', async () => {
    const dead = await gateway();
    const callId = await talk(dead);
    // As a killed gateway leaves it: its job is locked for hours, and its time has come.
    await database.db.raw(
      `update graphile_worker._private_jobs set locked_at = now(), locked_by = 'dead', attempts = 1
       where key like 'summarise-call%'`,
    );
    await database
      .db('calls')
      .update({ summary_due_at: database.db.raw(`now() - interval '1 s'`) });
    dead.summaries.start();
    const [told] = await dead.hook.waitFor(1, PATIENCE_MS);
    expect(told!.body).toMatchObject({ call_id: callId, data: { transcript_summary: EXTRACT } });
  });

  it('loses its summary with the last of its turns', async () => {
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
