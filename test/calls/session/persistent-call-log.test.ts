import { expect, it } from 'vitest';
import { PersistentCallLog } from '../../../src/calls/session/persistent-call-log.js';

const AWAY = Object.assign(new Error('the database system is shutting down'), { code: '57P01' });

/** A database that fails with these errors first. */
function recordWith(faults: Error[], isStopping = () => false) {
  const written: string[] = [];
  const write = async (what: string) => {
    const fault = faults.shift();
    if (fault) throw fault;
    written.push(what);
  };
  const record = new PersistentCallLog({
    calls: {
      markStarted: () => write('start'),
      end: (_, reason) => write(reason),
    },
    turns: { save: (_, { text }) => write(text) },
    callId: 'call',
    isStopping,
    retryMs: 1,
  });
  return { record, written };
}

it('a record is written after the database has recovered, because a lost end would keep its slot', async () => {
  const { record, written } = recordWith([AWAY, AWAY, AWAY]);
  await record.started();
  await record.turn({ index: 0, role: 'user', text: 'hello', cut: false, startMs: 0, endMs: 1 });
  await record.ended('user_hangup');
  expect(written).toEqual(['start', 'hello', 'user_hangup']);
});

it('other errors are not retried, and retries end when the gateway stops', async () => {
  await expect(recordWith([new Error('no such column')]).record.ended('drained')).rejects.toThrow(
    'no such column',
  );
  await expect(recordWith([AWAY], () => true).record.ended('drained')).rejects.toBe(AWAY);
});
