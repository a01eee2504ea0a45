import type { ExtractionBounds, ExtractionReply, ToSupervisor } from './extraction.js';
import { ExtractionProcess } from './extraction-process.js';

/**
 * A small process that starts and stops the extraction process: a fork of the gateway, with its models
 * in memory, would delay the frames of calls.
 */
const extraction = new ExtractionProcess(JSON.parse(process.argv[2] ?? '') as ExtractionBounds);
let parts: Uint8Array[] = [];

process.on('message', (message: ToSupervisor) => {
  // The previous file may be incomplete.
  if (message.type === 'file') parts = [];
  else if (message.type === 'part') parts.push(message.bytes);
  else {
    const bytes = Buffer.concat(parts);
    parts = [];
    void extraction.extract({ kind: message.kind, bytes }).then(sendReply);
  }
});
// The gateway has ended.
process.on('disconnect', () => {
  extraction.end();
  process.exit();
});

function sendReply(reply: ExtractionReply): void {
  // Ignores a gateway that has ended.
  process.send?.(reply, undefined, undefined, () => undefined);
}
