import { type DestinationStream, type Logger, pino } from 'pino';

/** Members that are removed from logs at any depth. Log statements should not contain them anyway. */
const SECRET_FIELDS = [
  'authorization',
  'password',
  'secret',
  'token',
  'api_key',
  'apiKey',
  'key',
  'text',
  'prompt',
  'greeting',
  'phone_number',
  'phoneNumber',
  'from_number',
  'to_number',
  'input',
];

/** The log of the process: JSON lines with fixed messages, without callers' words, keys and numbers. */
export function makeLog(level: string, destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]),
        censor: '[redacted]',
      },
      serializers: { err: describeError },
    },
    // Asynchronous, because a reader that stalls must not block the audio. Flushed at exit.
    destination ?? pino.destination({ dest: 2, sync: false }),
  );
}

/** The part of an error that is logged. Errors of libraries can contain their input, which is omitted. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { type: typeof error };
  const code = 'code' in error && error.code != null ? String(error.code) : undefined;
  const stack = error.stack
    ?.split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n');
  return {
    type: error.name,
    message: messageOf(error),
    code,
    stack,
    ...(error.cause ? { cause: describeError(error.cause) } : {}),
  };
}

/** Error messages of databases quote values, and those of other servers quote the request. */
function messageOf(error: Error): string {
  if ('severity' in error) return 'database error';
  if ('status' in error && 'headers' in error) {
    return error.status === undefined
      ? 'another server did not respond'
      : `another server responded with status ${error.status}`;
  }
  return error.message;
}
