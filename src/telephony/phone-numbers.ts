/** What carriers send where a caller hides their number: words on a keypad. Source: Twilio's help pages. */
const HIDDEN = new Set([
  '+266696687', // ANONYMOUS
  '+7378742833', // RESTRICTED
  '+2562533', // BLOCKED
  '+8656696', // UNKNOWN
  '+86282452253', // UNAVAILABLE
]);

const LONGEST = 300;
const SIP = /^sips?:([^@;?]+)@/i;
/** Source: LiveKit SIP's rule for what is a number (the telephony notes, §10). */
const DIGITS = /^\+?[\d\- ()]+$/;
const E164 = /^\+[1-9]\d{1,14}$/;

/**
 * A number as a carrier writes it, in E.164; of a SIP address the part before the @. Undefined for
 * callers who hide theirs, and for names.
 */
export function readPhoneNumber(text: string): string | undefined {
  if (text.length > LONGEST) return undefined;
  const user = SIP.exec(text)?.[1] ?? text;
  const decoded = user.replace(/^%2b/i, '+').trim();
  if (!DIGITS.test(decoded)) return undefined;
  const number = `+${decoded.replace(/\D/g, '')}`;
  return E164.test(number) && !HIDDEN.has(number) ? number : undefined;
}
