import { randomUUID } from 'node:crypto';
import { MediaError } from '../../errors.js';
import { serveJobs } from '../../runtime/serve-jobs.js';
import { runAtLowestPriority } from '../../runtime/thread-priority.js';
import type { PronunciationRule } from '../dictionary/pronunciation-rule.js';
import { PlsError } from './pls-error.js';
import type { PlsJobs, PlsReply } from './pls-thread.js';
import { PlsReader } from './read-pls.js';
import { writePls } from './write-pls.js';

const readers = new Map<number, PlsReader>();

runAtLowestPriority();
serveJobs<PlsJobs>({
  begin: ({ id, bytes, ...options }) => ({
    output: outcomeOf(() => {
      readers.set(id, new PlsReader(bytes, { ...options, makeId: randomUUID }));
      return readOn(id);
    }, id),
  }),
  next: ({ id }) => ({ output: outcomeOf(() => readOn(id), id) }),
  write: ({ language, rulesJson }) => ({
    output: writePls({ language, rules: JSON.parse(rulesJson) as PronunciationRule[] }),
  }),
});

function readOn(id: number): PlsReply | null {
  const reader = readers.get(id);
  if (!reader) throw new MediaError('WORKER_DIED', 'The file was lost with its worker thread');
  reader.readOn();
  if (!reader.isAtEnd) return null;
  const { language, rules } = reader.lexicon();
  return { type: 'lexicon', language, rulesJson: JSON.stringify(rules) };
}

function outcomeOf(read: () => PlsReply | null, id: number): PlsReply | null {
  let outcome: PlsReply | null = null;
  try {
    outcome = read();
  } catch (error) {
    readers.delete(id);
    if (!(error instanceof PlsError)) throw error;
    const { message: sentence, line, column } = error;
    outcome = { type: 'fault', sentence, line, column };
  }
  if (outcome) readers.delete(id);
  return outcome;
}
