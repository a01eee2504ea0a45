import OpenAI from 'openai';
import { expect, it } from 'vitest';
import { makeLog } from '../../../src/platform/observability/log.js';

/** What a log writes. */
function logged(write: (log: ReturnType<typeof makeLog>) => void): string {
  const lines: string[] = [];
  write(makeLog('info', { write: (line) => void lines.push(line) }));
  return lines.join('');
}

it('keeps keys, words and numbers out, wherever they stand', () => {
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

it('tells of an error its type, code and place, and of a database error none of its values', () => {
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

it('does not repeat what another server says of what it was sent', () => {
  const quoted = { error: { message: 'Not accepted: "my number is 5550100"' } };
  const cause = OpenAI.APIError.generate(400, quoted, undefined, new Headers());
  const text = logged((log) => log.warn({ err: new Error('outer', { cause }) }, 'failed'));
  expect(text).not.toContain('5550100');
  expect(JSON.parse(text).err.cause).toMatchObject({
    message: 'another server responded with status 400',
  });
});
