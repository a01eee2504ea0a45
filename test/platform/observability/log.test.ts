import OpenAI from 'openai';
import { expect, it } from 'vitest';
import { makeLog } from '../../../src/platform/observability/log.js';

/** The output of a logger. */
function logged(write: (log: ReturnType<typeof makeLog>) => void): string {
  const lines: string[] = [];
  write(makeLog('info', { write: (line) => void lines.push(line) }));
  return lines.join('');
}

it('the log omits keys, texts and numbers in any field', () => {
  const text = logged((log) =>
    log.info(
      {
        authorization: 'Bearer vk_1',
        agent: { prompt: 'vk_2', phone_number: '+15550100' },
        hook: { entry: { secret: 'vk_3' } },
        agentId: 'a1',
      },
      'fixed message',
    ),
  );
  expect(text).not.toMatch(/vk_\d|5550100/);
  expect(JSON.parse(text)).toMatchObject({ level: 'info', agentId: 'a1', msg: 'fixed message' });
});

it('the log contains type, code and location of an error, and no values of a database error', () => {
  const fault = Object.assign(new Error('insert … Key (phone)=(+15550100) already exists'), {
    severity: 'ERROR',
    code: '23505',
    detail: 'Key (phone)=(+15550100) already exists.',
  });
  const text = logged((log) => log.error({ err: new Error('outer', { cause: fault }) }, 'failed'));
  expect(text).not.toContain('5550100');
  const { err } = JSON.parse(text);
  expect(err).toMatchObject({ message: 'outer', cause: { code: '23505' } });
  expect(err.stack).toMatch(/^\s+at /);
});

it('the log does not repeat what another server says about its input', () => {
  const quoted = { error: { message: 'Not accepted: "my number is 5550100"' } };
  const cause = OpenAI.APIError.generate(400, quoted, undefined, new Headers());
  const text = logged((log) => log.warn({ err: new Error('outer', { cause }) }, 'failed'));
  expect(text).not.toContain('5550100');
  expect(JSON.parse(text).err.cause).toMatchObject({
    message: 'another server responded with status 400',
  });
});
