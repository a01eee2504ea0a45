import { ApiError } from '../../platform/http/api-error.js';
import type { ApiErrorCode } from '../../platform/http/error-codes.js';

/** The error for each kind of resource that does not exist for an account. */
const NOT_FOUND = {
  agent: ['AGENT_NOT_FOUND', (id) => `No agent has the id ${id}`],
  'API key': ['API_KEY_NOT_FOUND', (id) => `No API key has the id ${id}`],
  call: ['CALL_NOT_FOUND', (id) => `No call has the id ${id}`],
  delivery: ['DELIVERY_NOT_FOUND', () => 'The agent has no such delivery'],
  dictionary: ['DICTIONARY_NOT_FOUND', () => 'No pronunciation dictionary has the given id'],
  'dictionary version': [
    'DICTIONARY_VERSION_NOT_FOUND',
    () => 'The pronunciation dictionary has no such version',
  ],
  document: ['DOCUMENT_NOT_FOUND', (id) => `The knowledge base has no document with the id ${id}`],
  'knowledge base': ['KNOWLEDGE_BASE_NOT_FOUND', (id) => `No knowledge base has the id ${id}`],
  'phone number': ['PHONE_NUMBER_NOT_FOUND', () => 'The account does not have this phone number'],
  voice: ['VOICE_NOT_FOUND', () => 'No voice has the given voice_id'],
} as const satisfies Readonly<
  Record<string, readonly [ApiErrorCode, (id: string | number) => string]>
>;

/**
 * Reports that a resource does not exist, or that another account owns it. Both are 404 with the same
 * text, so that a client cannot find out which ids other accounts have.
 *
 * The rules of ownership: an account sees, uses and changes only its own resources. Every account also
 * sees and uses PUBLIC voices (`isUsableBy`). `NumberOwnership` decides about phone numbers.
 * @throws ApiError
 */
export function throwNotFound(resource: keyof typeof NOT_FOUND, id: string | number = ''): never {
  const [code, messageFor] = NOT_FOUND[resource];
  throw new ApiError(code, messageFor(id));
}
