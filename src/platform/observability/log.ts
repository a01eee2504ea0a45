import { type DestinationStream, type Logger, pino } from 'pino';

/** Members that never reach a log, wherever they stand. Fields are chosen so as not to need it. */
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

/** The process's log: JSON lines with fixed messages. No words of callers, no keys, no numbers. */
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
    // Not synchronous: a reader that stalls must not hold up the audio. It is flushed at exit.
    destination ?? pino.destination({ dest: 2, sync: false }),
  );
}

/** What a log may know of an error. Those of others carry what they were given: left out. */
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

/** Databases quote the statement and its values, other servers what they were sent. */
function messageOf(error: Error): string {
  if ('severity' in error) return 'database error';
  if ('status' in error && 'headers' in error) {
    return error.status === undefined
      ? 'another server did not answer'
      : `another server answered ${error.status}`;
  }
  return error.message;
}
