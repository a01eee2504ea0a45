import { expect, it } from 'vitest';
import { harness } from '../../support/harness/call/call-harness.js';

it('a turn starts at most three speculative replies, however often the caller continues', async () => {
  const call = harness();
  call.call.connected();
  for (const text of [
    'it was',
    'last week',
    'on the road',
    'to the sea',
    'that I lost',
    'my umbrella',
  ]) {
    await call.say(text, 400);
    await call.silence(400);
  }
  expect(call.texts('user')).toEqual([]);
  expect(call.requests).toHaveLength(3);
  await call.silence(3_000);
  expect(call.requests).toHaveLength(4);
  expect(call.texts('agent')).toEqual([
    'You said it was last week on the road to the sea that I lost my umbrella.',
  ]);
});
