/** An element of TwiML; what is between its tags is text or more of them. */
interface Verb {
  readonly name: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly content?: string | readonly Verb[];
}

/** What Twilio takes of a `<Parameter>`: name and value together have less than 500 characters. */
const MAX_PARAMETER = 499;

export const TWIML_TYPE = 'text/xml; charset=utf-8';

/** Connects the call to a socket; Twilio goes on after it when the socket closes, which ends the call. */
export function connectStream(url: string, parameters: Readonly<Record<string, string>>): string {
  const content = Object.entries(parameters)
    .filter(([name, value]) => name.length + value.length <= MAX_PARAMETER)
    .map(([name, value]) => ({ name: 'Parameter', attributes: { name, value } }));
  return twiml({ name: 'Connect', content: [{ name: 'Stream', attributes: { url }, content }] });
}

/** The caller hears the tone of a number that is busy, or that nobody has; the call costs nothing. */
export function reject(reason: 'busy' | 'rejected'): string {
  return twiml({ name: 'Reject', attributes: { reason } });
}

export function hangUp(): string {
  return twiml({ name: 'Hangup' });
}

/** Gives the call to another number or SIP address, and is out of it. */
export function dial(target: string): string {
  const isSip = /^sips?:/.test(target);
  return twiml({ name: 'Dial', content: [{ name: isSip ? 'Sip' : 'Number', content: target }] });
}

function twiml(verb: Verb): string {
  return `<?xml version="1.0" encoding="UTF-8"?><Response>${serialise(verb)}</Response>`;
}

function serialise({ name, attributes = {}, content = [] }: Verb): string {
  const attributeText = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${escaped(value)}"`,
  );
  const inner = typeof content === 'string' ? escaped(content) : content.map(serialise).join('');
  const start = `<${name}${attributeText.join('')}`;
  return inner === '' ? `${start}/>` : `${start}>${inner}</${name}>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** For texts and attributes; what no XML may hold is left out (Source: XML 1.0, production 2). */
function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '')
    .replace(/[&<>"']/g, (mark) => ENTITIES[mark]!);
}
