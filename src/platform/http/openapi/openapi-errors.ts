import type { JsonSchema } from './json-schema.js';

/** The error bodies of the contract, as named schemas. */
export const ERROR_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  ErrorResponse: {
    type: 'object',
    required: ['error', 'detail', 'code'],
    properties: {
      error: { type: 'string', description: 'A sentence for a person.' },
      detail: { type: ['string', 'null'] },
      code: { type: ['string', 'null'], description: 'Stable.' },
    },
    // Some codes tell more, such as the reason why a call was refused.
    additionalProperties: true,
  },
  ValidationError: {
    type: 'object',
    required: ['loc', 'msg', 'type'],
    properties: {
      type: { type: 'string' },
      loc: { type: 'array', items: { type: ['string', 'integer'] } },
      msg: { type: 'string' },
      input: {},
      ctx: { type: 'object' },
    },
  },
  HTTPValidationError: {
    type: 'object',
    required: ['detail'],
    properties: {
      detail: { type: 'array', items: { $ref: '#/components/schemas/ValidationError' } },
    },
  },
};

const told = (error: string, code: string, detail: string | null = null) => ({
  error,
  detail,
  code,
});

/** An example of each status; which codes there are is told by the routes' descriptions. */
const EXAMPLES: Readonly<Record<number, unknown>> = {
  400: told('The text has 6000 characters; at most 5000 are spoken at once', 'TEXT_TOO_LONG'),
  401: told('The API key is not valid', 'UNAUTHORIZED'),
  402: told('The account has not credits enough for this text', 'INSUFFICIENT_CREDITS'),
  403: told('This API key lacks the scope "agents"', 'FORBIDDEN', 'Missing scope: agents'),
  404: told('No agent has the id 7', 'AGENT_NOT_FOUND'),
  409: told('The agent is disabled, which is final: create a new one', 'AGENT_DISABLED'),
  412: told('This was changed since you read it: read it again', 'PRECONDITION_FAILED'),
  413: told('The body must not be larger than 1048576 bytes', 'PAYLOAD_TOO_LARGE'),
  415: told('The body must be application/json', 'UNSUPPORTED_MEDIA_TYPE'),
  416: told('The file ends before this range', 'RANGE_NOT_SATISFIABLE'),
  429: told('More than 1000 requests in a minute', 'RATE_LIMITED', 'Try again in 12 seconds'),
  500: told('Something went wrong on our side', 'INTERNAL_ERROR'),
  502: told('Twilio answered with status 500', 'PROVIDER_ERROR'),
  503: told('The database cannot be reached at the moment', 'OVERLOADED'),
};

const VALIDATION_EXAMPLE = {
  detail: [
    {
      type: 'missing',
      loc: ['body', 'name'],
      msg: 'Field required',
      input: {},
    },
  ],
};

/** An answer with one of the error bodies: 422 has the list of faults, every other the sentence. */
export function errorAnswer(status: number, description: string): JsonSchema {
  const isValidation = status === 422;
  const name = isValidation ? 'HTTPValidationError' : 'ErrorResponse';
  const example = isValidation ? VALIDATION_EXAMPLE : EXAMPLES[status];
  return {
    description,
    content: {
      'application/json': {
        schema: { $ref: `#/components/schemas/${name}` },
        ...(example !== undefined && { example }),
      },
    },
  };
}
