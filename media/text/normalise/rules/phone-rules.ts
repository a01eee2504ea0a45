import type { SpokenForm } from '../../aligned-text.js';
import type { Grammar } from './grammar.js';
import { spellOut } from './letter-rules.js';
import { contextOf, digitByDigit } from './number-text.js';

const MIN_DIGITS = 6;
const NAMED =
  /(?<=(?<!\p{L})(?:tel[eèé]?fono?|telefone|telefon|telefoon|téléphone|телефон|tel|tél|тел|fax|numer|número|numéro|nummer|номер|codi|código|code|kod|PIN)[.:]{0,2} )\(?\d[\d ()/-]{3,20}\d(?![\d\p{L}]|[.,]\d)/giu;
/** Identifying numbers, such as codes and order numbers, after their name in any of the languages. */
const CODE =
  /(?<=(?<!\p{L})(?:codes?|passcode|passwort|código|codi|codice|kod|koden|wachtwoord|код|PIN|пин|OTP|PLZ|CEP|CAP|(?:bestell|kunden|rechnungs|buchungs|auftrags|vertrags|konto)nummer|ordernummer|bestelnummer|klantnummer|ordernumret|beställning|Bestellung|pedido|comanda|commande|ordine|bestelling|zamówienie|заказ)(?: (?:ist|lautet|es|és|est|è|é|is|är|to|postal|postale|pocztowy)|:)? )\d{3,15}(?![\d\p{L}%€]|[.,:/-]\d| \d{3})/giu;
/** DE89 3704 0044 0532 0130 00 */
const IBAN = /(?<![\p{L}\d])([A-Z]{2})(\d{2}(?: ?\d{4}){3,7}(?: ?\d{1,4})?)(?![\p{L}\d])/gu;
const INTERNATIONAL = /(?<![\p{L}\d+])\+\d{1,3}(?:[ ./-]?\(?\d{1,5}\)?){1,6}(?![\d-])/gu;
const NATIONAL = /(?<![\p{L}\d.,+-])\(?0\d{1,4}\)?(?:[ /-]\d{2,8}){1,5}(?![\d-]|[.,]\d)/gu;
/** 123-456-789 and other codes in groups. */
const GROUPS = /(?<![\p{L}\d.-])\d{2,6}(?:-\d{2,6}){2,5}(?![\p{L}\d-])/gu;

const THREES = /^\d{3}(?: \d{3})*$/;
const GROUP_BEFORE = /(?:^|[^\d ]|[^\d] )\d{1,3}(?: \d{3})* $/;

/** Returns the rules for telephone numbers and codes: digit by digit or in pairs, with a pause between groups. */
export function phoneRules(grammar: Grammar): SpokenForm[] {
  const say = (match: RegExpExecArray) => {
    const [found] = match;
    // The groups after the first one of "1 000 000" are not a telephone number.
    if (THREES.test(found) && GROUP_BEFORE.test(contextOf(match).before)) return undefined;
    const digits = found.match(/\d/g)?.length ?? 0;
    if (digits < MIN_DIGITS && !/^\d+$/.test(found)) return undefined;
    const sign = found.startsWith('+') ? `${grammar.words.plus} ` : '';
    return sign + groupsOf(found, grammar);
  };
  const iban: SpokenForm = {
    pattern: IBAN,
    say: ([, country = '', digits = '']) =>
      `${spellOut(country, grammar, ' ')} ${groupsOf(digits, grammar)}`,
  };
  const patterns = [INTERNATIONAL, CODE, NAMED, ...grammar.phones, NATIONAL, GROUPS];
  return [iban, ...patterns.map((pattern) => ({ pattern, say }))];
}

/** Returns the digits of a number in words, with a pause between groups. */
export function groupsOf(number: string, grammar: Grammar): string {
  return (number.match(/\d+/g) ?? [])
    .flatMap(inThrees)
    .map((group) => {
      const isPair = grammar.pairsPhones && /^[1-9]\d$/.test(group);
      return isPair ? grammar.cardinal(Number(group)) : digitByDigit(group, grammar);
    })
    .join(', ');
}

/** Splits a long group into groups of three digits; the last one has two to four. */
function inThrees(group: string): string[] {
  if (group.length <= 4) return [group];
  const parts = group.match(/\d{1,3}/g) ?? [];
  const last = parts.at(-1) ?? '';
  if (last.length > 1 || parts.length < 2) return parts;
  return [...parts.slice(0, -2), parts.at(-2)! + last];
}
