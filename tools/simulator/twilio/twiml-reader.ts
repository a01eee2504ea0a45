import { SaxesParser } from 'saxes';
import { SimulateError } from '../simulate-error.js';

/** An element of a TwiML response. */
export interface Verb {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
  readonly children: readonly Verb[];
}

/** The verbs that Twilio accepts inside `<Response>`. Source: Twilio's documentation of TwiML for voice. */
const TWIML_VERBS = new Set(
  'Connect Dial Enqueue Gather Hangup Leave Pause Pay Play Prompt Record Redirect Refer Reject Say Start Stop'.split(
    ' ',
  ),
);

interface OpenVerb {
  readonly name: string;
  readonly attributes: Record<string, string>;
  text: string;
  readonly children: OpenVerb[];
}

/**
 * The verbs of a TwiML response, in order.
 * @throws SimulateError where Twilio would play an application error (12100, 12200)
 */
export function readTwiml(xml: string): readonly Verb[] {
  const root: OpenVerb = { name: '', attributes: {}, text: '', children: [] };
  const open: OpenVerb[] = [root];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw new SimulateError(`The response is not well-formed TwiML: ${error.message}`);
  });
  parser.on('opentag', ({ name, attributes }) => {
    const verb: OpenVerb = { name, attributes: { ...attributes }, text: '', children: [] };
    open.at(-1)!.children.push(verb);
    open.push(verb);
  });
  parser.on('text', (text) => {
    open.at(-1)!.text += text;
  });
  parser.on('closetag', () => {
    open.pop();
  });
  parser.write(xml).close();
  const response = root.children[0];
  if (response?.name !== 'Response') {
    throw new SimulateError('The response is not TwiML: its root must be <Response>');
  }
  const unknown = response.children.find(({ name }) => !TWIML_VERBS.has(name));
  if (unknown) throw new SimulateError(`Twilio has no verb <${unknown.name}>`);
  return response.children;
}

/** The text of a verb and its children. */
export function textOf({ text, children }: Verb): string {
  return [text, ...children.map(textOf)]
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join(' ');
}

/** A bidirectional `<Stream>`. */
export interface StreamTarget {
  readonly url: string;
  readonly statusCallback: string | undefined;
  readonly parameters: Readonly<Record<string, string>>;
}

/** For name and value of a parameter together. Source: Twilio's documentation of `<Stream>`. */
const MAX_PARAMETER_LENGTH = 500;

/**
 * The stream of a `<Connect>`.
 * @throws SimulateError for a stream that Twilio refuses (31920, 31922)
 */
export function streamOf(connect: Verb): StreamTarget {
  const stream = connect.children.find(({ name }) => name === 'Stream');
  const url = stream?.attributes.url ?? '';
  if (!stream || !URL.canParse(url)) {
    throw new SimulateError(
      '<Connect> must contain a <Stream> with a url: the simulator supports nothing else',
    );
  }
  const { protocol, hostname, search } = new URL(url);
  const isLoopback = hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
  if (protocol !== 'wss:' && !(protocol === 'ws:' && isLoopback)) {
    throw new SimulateError(
      `Twilio streams only to wss: URLs; got ${protocol} Set PUBLIC_URL to an https URL`,
    );
  }
  if (search !== '') throw new SimulateError("Twilio refuses a query string in a stream's url");
  const parameters: Record<string, string> = {};
  for (const { name, attributes } of stream.children) {
    if (name !== 'Parameter') throw new SimulateError(`<Stream> contains an unknown <${name}>`);
    const { name: key = '', value = '' } = attributes;
    if (key.length + value.length >= MAX_PARAMETER_LENGTH) {
      throw new SimulateError(
        `A <Parameter> must be shorter than ${MAX_PARAMETER_LENGTH} characters`,
      );
    }
    parameters[key] = value;
  }
  return { url, statusCallback: stream.attributes.statusCallback, parameters };
}
