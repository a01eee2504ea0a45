import { parseArgs } from 'node:util';
import { AUDIO_KINDS } from './audiosocket-packets.js';
import { SimulateError } from './simulate-error.js';
import { DIGITS } from './simulated-call.js';

export const USAGE = `usage: npm run simulate -- twilio|audiosocket --agent ID --wav FILE [OPTIONS]
  Calls an agent as the carrier would, plays the file to it, and tells how it was heard. The exit code
  is 1 when the gateway did what the real carrier refuses, or did not answer.
  --url URL            the gateway (PARLEY_URL, else http://127.0.0.1:8080)
  --key KEY            an API key (PARLEY_KEY); twilio needs one only to find the agent's number
  --out FILE           both legs as a stereo WAV file, the caller on the left
  --after-greeting     speak when the agent has first fallen silent, not at once
  --linger SECONDS     hang up after so much silence (5)
  --hang-up-after S    hang up then, whatever happens
  --dtmf KEYS@S,…      press keys so many seconds after the answer, such as 5@3,12#@8.5
  --from, --to NUMBER  who calls whom (+15550100; twilio: the agent's number)
  --calls N            so many calls, one every --spacing SECONDS (0.2)
  --drift=PPM          the carrier's clock is so much faster
  --json               the report as JSON
twilio: TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN are those of the gateway, --public-url its PUBLIC_URL
audiosocket: --rate HZ of the channel (8000), --variable NAME=VALUE for the agent, --host of the port
`;

export interface SimulateOptions {
  readonly carrier: 'twilio' | 'audiosocket';
  readonly agentId: string | undefined;
  readonly wav: string;
  readonly url: string;
  readonly publicUrl: string | undefined;
  readonly key: string | undefined;
  readonly out: string | undefined;
  readonly afterGreeting: boolean;
  readonly lingerMs: number;
  readonly hangUpAtMs: number | undefined;
  readonly keys: readonly { readonly atMs: number; readonly digits: string }[];
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly calls: number;
  readonly spacingMs: number;
  readonly driftPpm: number;
  readonly isJson: boolean;
  readonly sampleRate: number;
  readonly host: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly twilio: { readonly accountSid: string; readonly authToken: string };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws SimulateError if an option is missing or not valid */
export function readOptions(args: readonly string[], environment: Environment): SimulateOptions {
  const { values, carrier } = parsed(args);
  const {
    PARLEY_URL = 'http://127.0.0.1:8080',
    PARLEY_KEY,
    TWILIO_ACCOUNT_SID = '',
    TWILIO_AUTH_TOKEN = '',
  } = environment;
  const url = (values.url ?? PARLEY_URL).replace(/\/+$/, '');
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw new SimulateError(`${url} is not an http or https URL`);
  if (values.wav === undefined) throw new SimulateError('Set the speech of the caller: --wav FILE');
  const isTwilio = carrier === 'twilio';
  if (isTwilio && (TWILIO_ACCOUNT_SID === '' || TWILIO_AUTH_TOKEN === '')) {
    throw new SimulateError(
      'Set TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN to the same values here and for the gateway: any values work, because Twilio is not contacted',
    );
  }
  if (values.agent === undefined && !(isTwilio && values.to !== undefined)) {
    throw new SimulateError('Set the agent to call: --agent ID');
  }
  return {
    carrier,
    agentId: values.agent,
    wav: values.wav,
    url,
    publicUrl: values['public-url']?.replace(/\/+$/, ''),
    key: values.key ?? PARLEY_KEY,
    out: values.out,
    afterGreeting: values['after-greeting'] ?? false,
    lingerMs: 1000 * parseNumber('linger', values.linger, 5),
    hangUpAtMs:
      values['hang-up-after'] === undefined
        ? undefined
        : 1000 * parseNumber('hang-up-after', values['hang-up-after'], 0),
    keys: values.dtmf === undefined ? [] : values.dtmf.split(',').map(keysOf),
    from: values.from,
    to: values.to,
    calls: countOf('calls', values.calls),
    spacingMs: 1000 * parseNumber('spacing', values.spacing, 0.2),
    driftPpm: parseNumber('drift', values.drift, 0),
    isJson: values.json ?? false,
    sampleRate: rateOf(values.rate),
    host: values.host ?? new URL(url).hostname.replace(/^\[|\]$/g, ''),
    variables: Object.fromEntries((values.variable ?? []).map(variableOf)),
    twilio: { accountSid: TWILIO_ACCOUNT_SID, authToken: TWILIO_AUTH_TOKEN },
  };
}

const OPTIONS = {
  agent: { type: 'string' },
  wav: { type: 'string' },
  url: { type: 'string' },
  'public-url': { type: 'string' },
  key: { type: 'string' },
  out: { type: 'string' },
  'after-greeting': { type: 'boolean' },
  linger: { type: 'string' },
  'hang-up-after': { type: 'string' },
  dtmf: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  calls: { type: 'string' },
  spacing: { type: 'string' },
  drift: { type: 'string' },
  json: { type: 'boolean' },
  rate: { type: 'string' },
  host: { type: 'string' },
  variable: { type: 'string', multiple: true },
} as const;

function parsed(args: readonly string[]) {
  const { values, positionals } = parseStrictly(args);
  const [carrier, ...others] = positionals;
  if ((carrier !== 'twilio' && carrier !== 'audiosocket') || others.length > 0) {
    throw new SimulateError('Set exactly one carrier: twilio or audiosocket');
  }
  return { values, carrier } as const;
}

function parseStrictly(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new SimulateError(error instanceof Error ? error.message : 'Unknown option');
  }
}

function parseNumber(name: string, text: string | undefined, usual: number): number {
  if (text === undefined) return usual;
  const value = Number(text);
  const isSigned = name === 'drift';
  if (text.trim() !== '' && Number.isFinite(value) && (isSigned || value >= 0)) return value;
  throw new SimulateError(`--${name} must be a number; got "${text}"`);
}

function countOf(name: string, text: string | undefined): number {
  const value = parseNumber(name, text, 1);
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new SimulateError(`--${name} must be a whole number from 1; got "${text}"`);
}

function rateOf(text: string | undefined): number {
  const rate = parseNumber('rate', text, 8000);
  if (AUDIO_KINDS[rate] !== undefined) return rate;
  const rates = Object.keys(AUDIO_KINDS).join(', ');
  throw new SimulateError(`--rate must be a rate of AudioSocket: ${rates}`);
}

function keysOf(text: string) {
  const [digits = '', seconds = '', ...rest] = text.split('@');
  if (!DIGITS.test(digits) || seconds === '' || rest.length > 0) {
    throw new SimulateError(`--dtmf must be keys and seconds, such as 5@3.2; got "${text}"`);
  }
  return { digits, atMs: 1000 * parseNumber('dtmf', seconds, 0) };
}

function variableOf(text: string): readonly [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw new SimulateError(`--variable must be NAME=VALUE; got "${text}"`);
  return [text.slice(0, at), text.slice(at + 1)];
}
