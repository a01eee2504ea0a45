/** A TwiML element. */
interface Verb {
  readonly name: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly content?: string | readonly Verb[];
}

/** Maximum length of name and value of a `<Parameter>` together. */
const MAX_PARAMETER = 499;

export const TWIML_TYPE = 'text/xml; charset=utf-8';

/** Connects the call with a socket. When the socket closes, the call ends, as no verb follows. */
export function connectStream(url: string, parameters: Readonly<Record<string, string>>): string {
  const content = Object.entries(parameters)
    .filter(([name, value]) => name.length + value.length <= MAX_PARAMETER)
    .map(([name, value]) => ({ name: 'Parameter', attributes: { name, value } }));
  return twiml({ name: 'Connect', content: [{ name: 'Stream', attributes: { url }, content }] });
}

/** Rejects the call with a busy or an unobtainable tone, free of charge. */
export function reject(reason: 'busy' | 'rejected'): string {
  return twiml({ name: 'Reject', attributes: { reason } });
}

export function hangUp(): string {
  return twiml({ name: 'Hangup' });
}

/** Transfers the call to another number or SIP address. */
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

/** Escapes text and attributes, and drops characters that XML 1.0 (production 2) forbids. */
function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu, '')
    .replace(/[&<>"']/g, (mark) => ENTITIES[mark]!);
}
