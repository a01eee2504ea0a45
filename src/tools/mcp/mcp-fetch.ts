import type { OutboundClient } from '../../outbound/outbound-client.js';

type Fetch = OutboundClient['fetch'];

/** Of an answer to one request. */
const MAX_ANSWER_BYTES = 2 * 1024 * 1024;
/** Of a stream that stays open for as long as the call. */
const MAX_STREAM_BYTES = 8 * 1024 * 1024;

/** A server of tools that sends too much, or sends us elsewhere. Its message tells the model why. */
export class McpAnswerError extends Error {
  override readonly name = 'McpAnswerError';
}

/** What an answer beyond all bounds fails with. */
export function tooMuch(): McpAnswerError {
  return new McpAnswerError('its answer is too long');
}

/**
 * A guarded `fetch` for the MCP client: no redirects, and no answer without end.
 * @param onTooMuch told of such an answer: the client goes on waiting for it.
 */
export function mcpFetch(fetch: Fetch, onTooMuch: () => void): Fetch {
  return async (input, init = {}) => {
    const response = await fetch(input, init);
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      throw new McpAnswerError('its server answered with a redirect, which is not followed');
    }
    if (!response.body) return response;
    const isStream = (init.method ?? 'GET') === 'GET';
    const bytes = isStream ? MAX_STREAM_BYTES : MAX_ANSWER_BYTES;
    const body = response.body.pipeThrough(limit(bytes, onTooMuch));
    const { status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers: [...headers] });
  };
}

function limit(bytes: number, onTooMuch: () => void): TransformStream<Uint8Array, Uint8Array> {
  let left = bytes;
  return new TransformStream({
    transform(chunk, controller) {
      left -= chunk.length;
      if (left >= 0) {
        controller.enqueue(chunk);
        return;
      }
      controller.error(tooMuch());
      onTooMuch();
    },
  });
}
