import type { EgressClient } from '../../../platform/egress/egress-client.js';

type Fetch = EgressClient['fetch'];

/**
 * Limit of a response, and of each message of a stream. Parsing a longer one would delay the frames of calls.
 */
const MAX_ANSWER_BYTES = 512 * 1024;
/** Limit of the stream that stays open during the call. */
const MAX_STREAM_BYTES = 8 * 1024 * 1024;

/** Source: the event stream format of the HTML standard, section 9.2.5. */
const BLANK_LINES = ['\n\n', '\r\n\r\n', '\r\r'];

/** A response over the size limit or a redirect. The message is for the model. */
export class McpAnswerError extends Error {
  override readonly name = 'McpAnswerError';
}

/** The error of a response over the size limit. */
export function answerTooLong(): McpAnswerError {
  return new McpAnswerError('its answer is too long');
}

/**
 * A `fetch` for the MCP client that refuses redirects and bounds responses.
 * @param onTooLong called for a response over the limit, as the client would keep waiting for it
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

function limit(isStream: boolean, onTooLong: () => void): TransformStream<Uint8Array, Uint8Array> {
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
      onTooLong();
    },
  });
}

/** Where the last message of a chunk of server-sent events ends: at a blank line; -1 without one. */
function lastMessageEnd(chunk: Uint8Array): number {
  const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  return Math.max(...BLANK_LINES.map((line) => text.lastIndexOf(line)));
}
