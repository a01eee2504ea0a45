import type { ExtractionBounds, ExtractionReply, ToSupervisor } from './extraction.js';
import { ExtractionProcess } from './extraction-process.js';

/**
 * A small process that starts and ends the one which reads documents: to fork the gateway, with its
 * models in memory, would stop the frames of its calls for a while.
 */
const extraction = new ExtractionProcess(JSON.parse(process.argv[2] ?? '') as ExtractionBounds);
let parts: Uint8Array[] = [];

process.on('message', (message: ToSupervisor) => {
  // A file that breaks off is followed by the next one.
  if (message.type === 'file') parts = [];
  else if (message.type === 'part') parts.push(message.bytes);
  else {
    const bytes = Buffer.concat(parts);
    parts = [];
    void extraction.extract({ kind: message.kind, bytes }).then(sendReply);
  }
});
// Without its gateway it has nothing to do.
process.on('disconnect', () => {
  extraction.end();
  process.exit();
});

function sendReply(reply: ExtractionReply): void {
  // To a gateway that has gone there is nothing to say.
  process.send?.(reply, undefined, undefined, () => undefined);
}
