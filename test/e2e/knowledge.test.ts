import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runToEnd } from '../../media/async/cooperative.js';
import { chunkDocument } from '../../media/embeddings/document-chunker.js';
import { CallClient, type ConnectionDetails } from '../support/harness/call/call-client.js';
import { type Product, removeDataDir, startProduct } from '../support/harness/process/product.js';
import { makeTestFolder } from '../support/harness/process/test-folder.js';

const dataDir = makeTestFolder();
let product: Product;
beforeAll(async () => {
  product = await startProduct({ dataDir });
});
afterAll(async () => {
  await product?.stop();
  await removeDataDir(dataDir);
});

async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`${product.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${product.apiKey}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect(response.ok, `${method} ${path}: ${response.status}`).toBe(true);
  return (response.status === 204 ? undefined : await response.json()) as T;
}

const messageOf = async (kbId: number) =>
  (await ask<{ message: string }>('GET', `/knowledge-base/${kbId}`)).message;

async function makeKnowledgeBase(contents: readonly string[]): Promise<number> {
  const documents = contents.map((content) => ({ content }));
  return (await ask<{ kb_id: number }>('POST', '/knowledge-base/', { documents })).kb_id;
}

/** Types a question in a call and returns the agent's answer. */
async function answerOf(agentId: string, question: string): Promise<string> {
  const path = '/connection/connection-details';
  const details = await ask<ConnectionDetails>('POST', path, { agent_id: agentId });
  const client = new CallClient(details);
  try {
    await client.connect();
    client.type(question);
    return (await client.final('agent')).text;
  } finally {
    client.hangUp();
    client.close();
  }
}

describe('knowledge base', () => {
  it('is used for the answers of a deployed agent until it is detached', async () => {
    const kbId = await makeKnowledgeBase(['# Swimming\nThe pool opens at half past six.']);
    await expect.poll(() => messageOf(kbId), { timeout: 60_000 }).toBe('ready: 1 passage');
    const config = { prompt: 'You are the voice of a lido. We rent out towels.' };
    const { agent_id: id } = await ask<{ agent_id: string }>('POST', '/agent/', {
      name: 'Lido',
      config,
    });
    await ask('POST', `/agent/${id}/assign-knowledge-base`, { kb_id: kbId });
    await ask('POST', `/agent/${id}/deploy`);
    // A search has a timeout of one second per turn, which a busy machine may exceed.
    await expect
      .poll(() => answerOf(id, 'When does the pool open?'), { timeout: 60_000 })
      .toMatch(/half past six/);
    await ask('DELETE', `/agent/${id}/knowledge-base`);
    expect(await answerOf(id, 'When does the pool open?')).toMatch(/do not know/);
  });

  it('is indexed completely after the gateway was killed meanwhile', async () => {
    const line = (i: number) => `- Locker ${i} is in corridor ${i % 13} of the east wing.`;
    const contents = [0, 1, 2].map((part) =>
      Array.from({ length: 150 }, (_, i) => line(part * 150 + i)).join('\n'),
    );
    const kbId = await makeKnowledgeBase(contents);
    await expect
      .poll(() => messageOf(kbId), { timeout: 60_000, interval: 20 })
      .toMatch(/^indexing [23] of 3 documents$/);
    await product.kill();
    product = await startProduct({ dataDir });
    const passages = contents.flatMap((content) => runToEnd(chunkDocument(content)));
    await expect
      .poll(() => messageOf(kbId), { timeout: 60_000 })
      .toBe(`ready: ${passages.length} passages`);
  });
});
