import type { EgressClient } from '../../../platform/egress/egress-client.js';

type Fetch = EgressClient['fetch'];

/**
 * Of an answer to one request, and of one message of a stream: parsing a longer one would delay the
 * frames of calls. The model gets far less of it.
 */
const MAX_ANSWER_BYTES = 512 * 1024;
/** Of a stream that stays open for as long as the call. */
const MAX_STREAM_BYTES = 8 * 1024 * 1024;

/** Source: the event stream format of the HTML standard, section 9.2.5. */
const BLANK_LINES = ['\n\n', '\r\n\r\n', '\r\r'];

/** A server of tools that sends too much, or sends us elsewhere. Its message tells the model why. */
export class McpAnswerError extends Error {
  override readonly name = 'McpAnswerError';
}

/** What an answer beyond all bounds fails with. */
export function answerTooLong(): McpAnswerError {
  return new McpAnswerError('its answer is too long');
}

/**
 * A guarded `fetch` for the MCP client: no redirects, and no answer without end.
 * @param onTooLong told of such an answer: the client goes on waiting for it.
 */
export function mcpFetch(fetch: Fetch, onTooLong: () => void): Fetch {
  return async (input, init = {}) => {
    const response = await fetch(input, init);
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      throw new McpAnswerError('its server answered with a redirect, which is not followed');
    }
    if (!response.body) return response;
    const isStream = (init.method ?? 'GET') === 'GET';
    const body = response.body.pipeThrough(limit(isStream, onTooLong));
    const { status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers: [...headers] });
  };
}

function limit(isStream: boolean, onTooMuch: () => void): TransformStream<Uint8Array, Uint8Array> {
  let left = isStream ? MAX_STREAM_BYTES : MAX_ANSWER_BYTES;
  let messageBytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      left -= chunk.length;
      const end = isStream ? lastMessageEnd(chunk) : -1;
      messageBytes = end < 0 ? messageBytes + chunk.length : chunk.length - end;
      if (left >= 0 && messageBytes <= MAX_ANSWER_BYTES) {
        controller.enqueue(chunk);
        return;
      }
      controller.error(answerTooLong());
      onTooMuch();
    },
  });
}

/** Where the last message of a chunk of server-sent events ends: at a blank line; -1 without one. */
function lastMessageEnd(chunk: Uint8Array): number {
  const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  return Math.max(...BLANK_LINES.map((line) => text.lastIndexOf(line)));
}
