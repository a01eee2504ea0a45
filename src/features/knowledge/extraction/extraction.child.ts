import { type ExtractionJob, type ExtractionReply, UnreadableDocument } from './extraction.js';

/** One document after the other, in a process that may be ended at any moment. */
process.on('message', (job: ExtractionJob) => {
  void answer(job).then((reply) => process.send?.(reply));
});
// Without its gateway it has nothing to do.
process.on('disconnect', () => process.exit());

async function answer(job: ExtractionJob): Promise<ExtractionReply> {
  try {
    // The libraries are loaded by the first document only.
    const { extractText } = await import('./extract-text.js');
    return { ok: true, output: await extractText(job) };
  } catch (error) {
    const reason = error instanceof UnreadableDocument ? error.message : 'It cannot be read';
    return { ok: false, reason };
  }
}
