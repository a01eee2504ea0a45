/** Digits with the separators of people and exchanges. */
const FORMATTED_NUMBER = /^\+?[\d\-. ()]+$/;
const MAX_DIGITS = 15;
/** Placeholders for a withheld number. Source: RFC 3323 §4.1, and observed values of carriers. */
const WITHHELD = /^(anonymous|restricted|unknown|unavailable|private|withheld|blocked|none)$/i;
/** Twilio's values for withheld numbers: ANONYMOUS, RESTRICTED, … on a phone keypad. */
const WITHHELD_NUMBERS = new Set([
  '+266696687',
  '+7378742833',
  '+2562533',
  '+8656696',
  '+86282452253',
]);
const MAX_ADDRESS_LENGTH = 200;

/**
 * Normalises the number of a caller or callee: E.164 for a number, also inside a SIP or tel URI; another
 * address unchanged; null if it is withheld or missing.
 */
export function parsePhoneNumber(text: string | null | undefined): string | null {
  const address = (text ?? '').trim().replace(/^.*<([^<>]*)>.*$/, '$1');
  const user = userOf(address);
  if (user === '' || WITHHELD.test(user)) return null;
  const digits = user.replace(/\D/g, '');
  if (FORMATTED_NUMBER.test(user) && digits.length > 0 && digits.length <= MAX_DIGITS) {
    const number = `+${digits}`;
    return WITHHELD_NUMBERS.has(number) ? null : number;
  }
  const isAddress = /^[\w.+%~!*'()-]+(@[\w.:[\]-]+)?$/.test(addressOf(address));
  return isAddress && address.length <= MAX_ADDRESS_LENGTH ? addressOf(address) : null;
}

/** `alice@example.com`, without scheme and parameters. */
function addressOf(bare: string): string {
  return bare.replace(/^(sips?|tel):/i, '').replace(/[;?].*$/, '');
}

function userOf(bare: string): string {
  return addressOf(bare).split('@', 1)[0]!.trim();
}
