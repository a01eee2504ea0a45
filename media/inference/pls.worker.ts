import { randomUUID } from 'node:crypto';
import { MediaError } from '../errors.js';
import { PlsFault } from '../tts/pls/pls-fault.js';
import { PlsReader } from '../tts/pls/read-pls.js';
import { writePls } from '../tts/pls/write-pls.js';
import type { PlsJobs, PlsOutcome } from './pls-jobs.js';
import { serveJobs } from './serve-jobs.js';

const readers = new Map<number, PlsReader>();

serveJobs<PlsJobs>({
  begin: ({ id, bytes, ...options }) => ({
    output: outcomeOf(() => {
      readers.set(id, new PlsReader(bytes, { ...options, makeId: randomUUID }));
      return readOn(id);
    }, id),
  }),
  next: ({ id }) => ({ output: outcomeOf(() => readOn(id), id) }),
  write: (lexicon) => ({ output: writePls(lexicon) }),
});

function readOn(id: number): PlsOutcome | null {
  const reader = readers.get(id);
  if (!reader) throw new MediaError('WORKER_DIED', 'The file died with its worker thread');
  reader.readOn();
  return reader.isAtEnd ? { type: 'lexicon', lexicon: reader.lexicon() } : null;
}

function outcomeOf(read: () => PlsOutcome | null, id: number): PlsOutcome | null {
  let outcome: PlsOutcome | null = null;
  try {
    outcome = read();
  } catch (error) {
    readers.delete(id);
    if (!(error instanceof PlsFault)) throw error;
    const { message: sentence, line, column } = error;
    outcome = { type: 'fault', sentence, line, column };
  }
  if (outcome) readers.delete(id);
  return outcome;
}
