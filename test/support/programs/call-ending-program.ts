// A minimal gateway for tests that kill it. It ends calls of one agent, several concurrently, on
// the database of its first argument, and prints each call's ID once its end is acknowledged.
import { pino } from 'pino';
import { CallEventRecorder } from '../../../src/calls/history/call-event-recorder.js';
import { SummariesRepository } from '../../../src/calls/history/summaries.repository.js';
import { createWebhooksModule } from '../../../src/composition/webhooks.module.js';
import { AgentsRepository } from '../../../src/features/agents/agents.repository.js';
import { connect } from '../../../src/platform/db/connect.js';
import { SignedLinks } from '../../../src/platform/http/signed-links.js';
import { SecretBox } from '../../../src/platform/secrets/secret-box.js';
import { SecretKeys } from '../../../src/platform/secrets/secret-keys.js';
import { OVERRIDES } from '../harness/app/webhook-app.js';
import { StoredWebhookCalls } from '../harness/call/webhook-calls.js';

const AT_ONCE = 4;

const [connection = '', accountId = '', agentId = ''] = process.argv.slice(2);
const db = connect(JSON.parse(connection));
const secrets = new SecretKeys(['the secret of the tests']);
const agents = new AgentsRepository(db);
const webhooks = createWebhooksModule({
  db,
  box: new SecretBox(secrets),
  agents,
  overrides: OVERRIDES,
  log: pino({ level: 'silent' }),
  allowedHosts: [],
});
const events = new CallEventRecorder({
  events: webhooks.events,
  summaries: new SummariesRepository(db),
  links: new SignedLinks(secrets),
  origin: () => 'https://parley.test',
});
const agent = await agents.find(accountId, agentId);
if (!agent) throw new Error('There is no such agent');
const calls = new StoredWebhookCalls(db, events);

async function holdCalls(): Promise<never> {
  for (;;) {
    const callId = await calls.start(agent!);
    await calls.turn(callId, 0, 'user', 'When do you open?');
    await calls.end(callId);
    process.stdout.write(`${callId}\n`);
  }
}
await Promise.all(Array.from({ length: AT_ONCE }, holdCalls));
