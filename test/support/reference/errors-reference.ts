import { ERROR_CODES } from '../../../src/platform/http/error-codes.js';

const INTRODUCTION = `# Error codes

An error response has the body \`{"error": string, "detail": string | null, "code": string}\`. Codes are
stable; the sentences in \`error\` and \`detail\` may change. A request that does not match its schema is
answered with 422 and a list of faults in \`detail\`, without a code.

This page is generated from \`src/platform/http/error-codes.ts\` by \`npm run reference\`.

| code | status | cause |
|---|---|---|
`;

/** The reference page of all error codes, as Markdown. */
export function errorsReference(): string {
  const rows = Object.entries(ERROR_CODES).map(
    ([code, { status, description }]) => `| \`${code}\` | ${status} | ${description} |\n`,
  );
  return INTRODUCTION + rows.join('');
}
