import { once } from 'node:events';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OpenAiEmbedder } from '../../../../agents-runtime/providers/openai-embeddings.js';
import { bertTokenizerJson } from '../../../../media/embeddings/minilm-tokenizer.js';
import { SentenceModelEmbedder } from '../../../../media/embeddings/sentence-model-embedder.js';
import { CpuScheduler } from '../../../../media/runtime/cpu-scheduler.js';
import { EMBEDDING_MODEL } from '../../../support/harness/app/control-plane-app.js';
import { modelFolder } from '../../../support/harness/process/model-folder.js';
import { makeTestFolder } from '../../../support/harness/process/test-folder.js';

const scheduler = new CpuScheduler(1);
const mini = await SentenceModelEmbedder.openMiniLm({
  id: EMBEDDING_MODEL,
  folder: modelFolder(EMBEDDING_MODEL),
  scheduler,
});
afterAll(() => mini.close());
const TEXTS = ['The pool opens at six.', 'Cats are animals that purr.'];

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0);
}

/** A folder in the format of sentence-transformers, with the installed model. */
async function makeModel(files: Readonly<Record<string, object>> = {}): Promise<string> {
  const folder = join(makeTestFolder(), 'some-model');
  await mkdir(join(folder, '1_Pooling'), { recursive: true });
  await cp(join(modelFolder(EMBEDDING_MODEL), 'model.onnx'), join(folder, 'model.onnx'));
  const all = { 'tokenizer.json': await bertTokenizerJson(), ...files };
  for (const [name, content] of Object.entries(all)) {
    await writeFile(join(folder, name), JSON.stringify(content));
  }
  return folder;
}

describe('sentence-transformers model in a folder', () => {
  it('gives the same vectors as the built-in model, under its own ID', async () => {
    const own = await SentenceModelEmbedder.open(
      await makeModel({ 'sentence_bert_config.json': { max_seq_length: 128 } }),
      scheduler,
    );
    expect(own.id).toMatch(/^some-model-[0-9a-f]{12}$/);
    expect(own.windowTokens).toBe(108);
    const vectors = await own.embed(TEXTS, { priority: 'turn' });
    const wanted = await mini.embed(TEXTS, { priority: 'turn' });
    vectors.forEach((vector, i) => {
      expect(dot(vector, wanted[i]!)).toBeGreaterThan(0.999);
    });
    await own.close();
  });

  it('is used with its configured prefixes and pooling', async () => {
    const own = await SentenceModelEmbedder.open(
      await makeModel({
        'config_sentence_transformers.json': { prompts: { query: 'cats: ', passage: '' } },
      }),
      scheduler,
    );
    const [questionVector] = await own.embed(['purring'], { priority: 'turn', isQuestion: true });
    const [wanted] = await mini.embed(['cats: purring'], { priority: 'turn' });
    expect(dot(questionVector!, wanted!)).toBeGreaterThan(0.999);
    await own.close();
    const first = await SentenceModelEmbedder.open(
      await makeModel({ '1_Pooling/config.json': { pooling_mode_cls_token: true } }),
      scheduler,
    );
    const [vector] = await first.embed(TEXTS, { priority: 'turn' });
    const [mean] = await mini.embed(TEXTS, { priority: 'turn' });
    expect(dot(vector!, mean!)).toBeLessThan(0.999);
    await first.close();
  });

  it('reports missing files', async () => {
    const folder = makeTestFolder();
    await mkdir(folder, { recursive: true });
    const open = () => SentenceModelEmbedder.open(folder, scheduler);
    await expect(open()).rejects.toThrow(/has no model\.onnx/);
    await writeFile(join(folder, 'model.onnx'), 'nothing');
    await expect(open()).rejects.toThrow(/has no tokenizer\.json/);
    await writeFile(join(folder, 'tokenizer.json'), '[');
    await expect(open()).rejects.toThrow(/is no JSON/);
    await writeFile(join(folder, 'tokenizer.json'), JSON.stringify(await bertTokenizerJson()));
    await expect(open()).rejects.toThrow(/does not run/);
  });
});

describe('embedding endpoint', () => {
  let server: Server;
  let answer: (input: readonly string[]) => { status: number; body: unknown };
  const questionVector: { path: string; key: string; body: { model: string; input: string[] } }[] =
    [];
  beforeAll(async () => {
    server = createServer(async (request, response) => {
      const body = JSON.parse((await buffer(request)).toString());
      const key = request.headers.authorization ?? '';
      questionVector.push({ path: request.url!, key, body });
      const { status, body: reply } = answer(body.input);
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(reply));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => server.close());
  const open = () =>
    new OpenAiEmbedder({
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
      apiKey: 'secret',
      model: 'words-small',
    });
  const ask = (texts: readonly string[]) => open().embed(texts, {});

  it('receives texts in batches, and its vectors are normalised in the order of the texts', async () => {
    answer = (input) => ({
      status: 200,
      // In another order, as the protocol allows.
      body: {
        data: input.map((text, index) => ({ index, embedding: [text.length, 0] })).reverse(),
      },
    });
    const vectors = await ask(Array.from({ length: 200 }, (_, i) => 'x'.repeat(i + 1)));
    expect(vectors).toHaveLength(200);
    expect(vectors[7]).toEqual(Float32Array.of(1, 0));
    expect(questionVector.map(({ body }) => body.input.length)).toEqual([128, 72]);
    expect(questionVector[0]).toMatchObject({
      path: '/v1/embeddings',
      key: 'Bearer secret',
      body: { model: 'words-small' },
    });
    expect(open().id).toMatch(/^words-small@127\.0\.0\.1:\d+$/);
  });

  it.each([
    [401, { error: 'no' }],
    [503, { error: 'no' }],
    [200, { data: [] }],
    [
      200,
      {
        data: [
          { index: 0, embedding: [1, 2] },
          { index: 1, embedding: [1] },
        ],
      },
    ],
    [
      200,
      {
        data: [
          { index: 0, embedding: ['x', 1] },
          { index: 1, embedding: [1, 1] },
        ],
      },
    ],
    [200, 'nonsense'],
  ])('counts as unavailable if it answers %i %j, and is retried', async (status, body) => {
    answer = () => ({ status, body });
    await expect(ask(TEXTS)).rejects.toMatchObject({ code: 'EMBEDDING_FAILED' });
  });

  it('that rejects a text is available: the text is at fault', async () => {
    answer = () => ({ status: 400, body: { error: { message: 'too long' } } });
    await expect(ask(TEXTS)).rejects.not.toHaveProperty('code', 'EMBEDDING_FAILED');
  });
});
