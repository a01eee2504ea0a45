import { randomUUID } from 'node:crypto';
import { PlsFault } from '../tts/pls/pls-fault.js';
import { readPls } from '../tts/pls/read-pls.js';
import { writePls } from '../tts/pls/write-pls.js';
import type { PlsFile, PlsJobs, PlsOutcome } from './pls-jobs.js';
import { serveJobs } from './serve-jobs.js';

serveJobs<PlsJobs>({
  read: (file) => ({ output: read(file) }),
  write: (lexicon) => ({ output: writePls(lexicon) }),
});

function read({ bytes, ...options }: PlsFile): PlsOutcome {
  try {
    return { type: 'lexicon', lexicon: readPls(bytes, { ...options, makeId: randomUUID }) };
  } catch (error) {
    if (!(error instanceof PlsFault)) throw error;
    const { message: sentence, line, column } = error;
    return { type: 'fault', sentence, line, column };
  }
}
