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
    // Some codes have further members, such as the reason why a call was rejected.
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

const body = (error: string, code: string, detail: string | null = null) => ({
  error,
  detail,
  code,
});

/** An example for each status. The descriptions of the routes name their codes. */
const EXAMPLES: Readonly<Record<number, unknown>> = {
  400: body('The text has 6000 characters; the limit is 5000', 'TEXT_TOO_LONG'),
  401: body('The API key is not valid', 'UNAUTHORIZED'),
  402: body('The account has too few credits for this text', 'INSUFFICIENT_CREDITS'),
  403: body('This API key lacks the scope "agents"', 'FORBIDDEN', 'Missing scope: agents'),
  404: body('No agent has the id 7', 'AGENT_NOT_FOUND'),
  409: body('The agent is disabled, which is final: create a new one', 'AGENT_DISABLED'),
  412: body('The resource has changed since you read it: read it again', 'PRECONDITION_FAILED'),
  413: body('The body must not be larger than 1048576 bytes', 'PAYLOAD_TOO_LARGE'),
  415: body('The body must be application/json', 'UNSUPPORTED_MEDIA_TYPE'),
  416: body('The range starts after the end of the file', 'RANGE_NOT_SATISFIABLE'),
  429: body('More than 1000 requests in a minute', 'RATE_LIMITED', 'Try again in 12 seconds'),
  500: body('Something went wrong on our side', 'INTERNAL_ERROR'),
  502: body('Twilio responded with status 500', 'PROVIDER_ERROR'),
  503: body('The database is unavailable: try again in a second', 'OVERLOADED'),
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

/** An error response. 422 has a list of faults, every other status one error. */
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
