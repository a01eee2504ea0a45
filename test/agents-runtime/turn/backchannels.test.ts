import { describe, expect, it } from 'vitest';
import { isBackchannel } from '../../../agents-runtime/turn/backchannels.js';
import { wordsOf } from '../../../media/text/words.js';

describe('words', () => {
  it.each([
    ['en', 'Don’t stop, please!', 3],
    ['de', 'Halt, bitte.', 2],
    ['ru', 'Подождите, пожалуйста…', 2],
    ['hi', 'मैं देखता हूँ।', 3],
    ['en', '… 👍 !', 0],
  ])('of %s are counted by the rules of the script: %s', (language, text, count) => {
    expect(wordsOf(text, language)).toHaveLength(count);
  });

  it('are split where no spaces are written', () => {
    for (const [language, text] of [
      ['zh', '我想要一张桌子。'],
      ['th', 'ฉันอยากได้โต๊ะ'],
    ] as const) {
      expect(wordsOf(text, language).length).toBeGreaterThan(2);
    }
  });

  it('are equal with either apostrophe', () => {
    expect(wordsOf('D’accord', 'fr')).toEqual(wordsOf("D'accord", 'fr'));
  });
});

describe('backchannels', () => {
  it.each([
    ['en', ['Mhm.', 'Yeah, okay.', 'Right'], 'Right now'],
    ['ca', ["D'acord.", 'D’acord', 'Sí, sí.'], 'No'],
    ['sv', ['Ja', 'Okej.'], 'Nej'],
    ['es', ['Sí.', 'Vale', 'Ajá'], 'Espere'],
    ['fr', ["D'accord.", 'D’accord', 'Oui, oui.'], 'Attendez'],
    ['de', ['Ja', 'Ach so.', 'Ja, genau.'], 'Moment'],
    ['it', ['Sì', 'Va bene.', 'Certo'], 'Aspetti'],
    ['pt', ['Sim', 'Pois é.', 'Tá'], 'Espere'],
    ['pl', ['Tak', 'Dobrze.'], 'Nie'],
    ['ru', ['Ага', 'Да, да.'], 'Нет'],
    ['nl', ['Ja', 'Oké', 'Precies.'], 'Wacht'],
  ])('of %s contain only words of that language: %s', (language, said, other) => {
    for (const text of [...said, 'Mm-hmm.', 'Okay.', 'OK']) {
      expect(isBackchannel(text, language), text).toBe(true);
    }
    expect(isBackchannel(other, language)).toBe(false);
    expect(isBackchannel(`${said[0]} ${other}`, language)).toBe(false);
    expect(isBackchannel('', language)).toBe(false);
  });
});
