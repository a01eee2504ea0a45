import type { z } from 'zod';
import { InvalidInput } from '../../../platform/http/validation/invalid-input.js';
import { parseJson } from '../../../platform/http/validation/json-body.js';
import { bool, model, oneOf, str } from '../../../platform/http/validation/schema-builders.js';
import { validationErrorsOf } from '../../../platform/http/validation/validation-errors.js';
import { audioFields } from '../speech.schema.js';

/** Send audio as soon as it is synthesised, or (raw samples only) at playback speed. */
const DELIVERY_MODES = ['raw', 'paced'] as const;
export type DeliveryMode = (typeof DELIVERY_MODES)[number];

const EXTRA = { extra: 'forbid' } as const;
const flag = () => bool().nullable().optional();
const textFields = { text: str({ allowNul: true }).nullable().optional(), flush: flag() };
const contextId = () => str({ min: 1, max: 128 }).nullable().optional();

/** The messages of both sockets. Unknown keys are refused. */
export function socketMessages(modelIds: readonly string[]) {
  const first = {
    ...textFields,
    ...audioFields(modelIds),
    delivery_mode: oneOf(DELIVERY_MODES).nullable().optional(),
  };
  const many = { context_id: contextId(), auto_close: flag() };
  return {
    single: { first: model(first, EXTRA), later: model(textFields, EXTRA) },
    multi: {
      first: model({ ...first, ...many }, EXTRA),
      later: model({ ...textFields, ...many, close_context: flag(), close_socket: flag() }, EXTRA),
    },
  };
}

export type SocketMessages = ReturnType<typeof socketMessages>;
export type FirstMessage = z.output<SocketMessages['single']['first']>;
export type LaterMessage = z.output<SocketMessages['single']['later']>;
export type FirstContextMessage = z.output<SocketMessages['multi']['first']>;
export type ContextMessage = z.output<SocketMessages['multi']['later']>;

/** Messages of the server. `context_id` is set on `/tts/multi-stream`. */
export type ServerMessage =
  | { readonly audio: string; readonly context_id?: string }
  | { readonly is_last: true; readonly context_id?: string }
  | { readonly context_closed: true; readonly context_id: string }
  | { readonly error: string; readonly context_id?: string };

/** Reads a text frame. @throws InvalidInput */
export function readMessage<T>(schema: z.ZodType<T>, frame: Uint8Array): T {
  const json = parseJson(frame);
  const result = schema.safeParse(json);
  if (result.success) return result.data;
  throw new InvalidInput(validationErrorsOf('body', json, result.error.issues));
}

/** Encodes audio for a message as base64. */
export function encodeAudio(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
