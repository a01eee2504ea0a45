import { type ExtractionJob, type ExtractionReply, UnreadableDocument } from './extraction.js';

/** Extracts one document after the other. The process may be killed at any moment. */
process.on('message', (job: ExtractionJob) => {
  void answer(job).then((reply) => process.send?.(reply));
});
// The process ends with its gateway.
process.on('disconnect', () => process.exit());

async function answer(job: ExtractionJob): Promise<ExtractionReply> {
  try {
    // The libraries are loaded by the first document only.
    const { extractText } = await import('./extract-text.js');
    return { ok: true, output: await extractText(job) };
  } catch (error) {
    const reason =
      error instanceof UnreadableDocument ? error.message : 'The document cannot be read';
    return { ok: false, reason };
  }
}
