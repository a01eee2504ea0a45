import type { SpokenForm } from '../traced-text.js';
import type { Grammar } from './grammar.js';
import { digitByDigit } from './number-text.js';

const FEWEST_DIGITS = 6;
const NAMED =
  /(?<=(?<!\p{L})(?:tel[eèé]?fono?|telefone|telefon|telefoon|téléphone|телефон|tel|tél|тел|fax|numer|número|numéro|nummer|номер|codi|código|code|kod|PIN)[.:]{0,2} )\(?\d[\d ()/-]{3,20}\d(?![\d\p{L}]|[.,]\d)/giu;
const INTERNATIONAL = /(?<![\p{L}\d+])\+\d{1,3}(?:[ ./-]?\(?\d{1,5}\)?){1,6}(?![\d-])/gu;
const NATIONAL = /(?<![\p{L}\d.,+-])\(?0\d{1,4}\)?(?:[ /-]\d{2,8}){1,5}(?![\d-]|[.,]\d)/gu;
/** 123-456-789 and other codes in groups. */
const GROUPS = /(?<![\p{L}\d.-])\d{2,6}(?:-\d{2,6}){2,5}(?![\p{L}\d-])/gu;

/** Telephone numbers and codes in groups: digit by digit, or two by two, with a pause between groups. */
export function phoneRules(grammar: Grammar): SpokenForm[] {
  const say = ([found]: RegExpExecArray) => {
    const digits = found.match(/\d/g)?.length ?? 0;
    if (digits < FEWEST_DIGITS && !/^\d+$/.test(found)) return undefined;
    const sign = found.startsWith('+') ? `${grammar.words.plus} ` : '';
    return sign + groupsOf(found, grammar);
  };
  return [INTERNATIONAL, NAMED, ...grammar.phones, NATIONAL, GROUPS].map((pattern) => ({
    pattern,
    say,
  }));
}

function groupsOf(number: string, grammar: Grammar): string {
  return (number.match(/\d+/g) ?? [])
    .flatMap(inThrees)
    .map((group) => {
      const isPair = grammar.pairsPhones && /^[1-9]\d$/.test(group);
      return isPair ? grammar.cardinal(Number(group)) : digitByDigit(group, grammar);
    })
    .join(', ');
}

/** A long group in threes; no digit stays alone. */
function inThrees(group: string): string[] {
  if (group.length <= 4) return [group];
  const parts = group.match(/\d{1,3}/g) ?? [];
  const last = parts.at(-1) ?? '';
  if (last.length > 1 || parts.length < 2) return parts;
  return [...parts.slice(0, -2), parts.at(-2)! + last];
}
