import { describe, expect, it } from 'vitest';
import {
  endpointingCuesOf,
  expectedEntityOf,
} from '../../../agents-runtime/turn/endpointing-cues.js';
import { TURN_WORDS } from '../../../agents-runtime/turn/word-lists/registry.js';
import { LANGUAGES, type Language } from '../../../media/languages.js';

interface Sample {
  readonly hangs: string;
  readonly thinks: string;
  readonly whole: string;
  /** Questions for digits, an e-mail address, a date of birth and a spelling. */
  readonly asks: readonly [string, string, string, string];
  readonly part: string;
  readonly email: readonly [part: string, all: string];
  readonly birth: readonly [part: string, all: string];
}

const SAMPLES: Readonly<Record<Language, Sample>> = {
  en: {
    hangs: 'I am calling because',
    thinks: 'I need it on, um,',
    whole: 'Yes, it is.',
    asks: [
      'What is your phone number?',
      'Could I have your e-mail address?',
      'When were you born?',
      'Could you spell that?',
    ],
    part: 'It is four one five,',
    email: ['anna dot miller', 'anna dot miller at example dot com'],
    birth: ['The fourteenth of May', 'The fourteenth of May nineteen eighty two'],
  },
  ca: {
    hangs: 'Truco perquè',
    thinks: 'El necessito per, ehm',
    whole: 'Vull dues entrades.',
    asks: [
      'Quin és el seu número de telèfon?',
      'Em pot dir el seu correu?',
      'Quina és la seva data de naixement?',
      'Com s’escriu?',
    ],
    part: 'És el sis zero dos',
    email: ['anna punt mir', 'anna punt mir arrova exemple punt cat'],
    birth: ['El catorze de maig', 'El 14 de maig de 1982'],
  },
  sv: {
    hangs: 'Jag ringer eftersom',
    thinks: 'Jag behöver den på, öh',
    whole: 'Ja, det är det är.',
    asks: [
      'Vad är ditt telefonnummer?',
      'Kan jag få din e-post?',
      'När är du född?',
      'Kan du bokstavera det?',
    ],
    part: 'Det är noll sju noll',
    email: ['anna punkt berg', 'anna punkt berg at exempel punkt se'],
    birth: ['Den fjortonde maj', 'Den 14 maj 1982'],
  },
  es: {
    hangs: 'Llamo porque',
    thinks: 'Lo necesito para, eh',
    whole: 'Quiero dos entradas.',
    asks: [
      '¿Cuál es su número de teléfono?',
      '¿Me da su correo?',
      '¿Cuál es su fecha de nacimiento?',
      '¿Me lo deletrea?',
    ],
    part: 'Es el seis cero dos',
    email: ['ana punto ruiz', 'ana punto ruiz arroba ejemplo punto es'],
    birth: ['El catorce de mayo', 'El 14 de mayo de 1982'],
  },
  fr: {
    hangs: "J'appelle parce que",
    thinks: "J'en ai besoin, euh",
    whole: 'Je voudrais deux billets.',
    asks: [
      'Quel est votre numéro de téléphone ?',
      'Puis-je avoir votre e-mail ?',
      'Quelle est votre date de naissance ?',
      'Pouvez-vous l’épeler ?',
    ],
    part: "C'est le zéro six douze",
    email: ['anne point martin', 'anne point martin arobase exemple point fr'],
    birth: ['Le quatorze mai', 'Le 14 mai 1982'],
  },
  de: {
    hangs: 'Ich rufe an, weil',
    thinks: 'Ich brauche es am, ähm',
    whole: 'Ja, das ist es.',
    asks: [
      'Wie ist Ihre Telefonnummer?',
      'Wie lautet Ihre E-Mail-Adresse?',
      'Wann sind Sie geboren?',
      'Können Sie das buchstabieren?',
    ],
    part: 'Das ist null eins sieben',
    email: ['anna punkt müller', 'anna punkt müller at beispiel punkt de'],
    birth: ['Am vierzehnten Mai', 'Am 14. Mai 1982'],
  },
  it: {
    hangs: 'Chiamo perché',
    thinks: 'Mi serve per, ehm',
    whole: 'Vorrei due biglietti.',
    asks: [
      'Qual è il suo numero di telefono?',
      'Mi può dare la sua email?',
      'Qual è la sua data di nascita?',
      'Come si scrive?',
    ],
    part: 'È il tre tre otto',
    email: ['anna punto rossi', 'anna punto rossi chiocciola esempio punto it'],
    birth: ['Il quattordici maggio', 'Il 14 maggio 1982'],
  },
  pt: {
    hangs: 'Estou ligando porque',
    thinks: 'Eu preciso para, hum',
    whole: 'Quero dois bilhetes.',
    asks: [
      'Qual é o seu número de telefone?',
      'Pode me dar o seu email?',
      'Qual é a sua data de nascimento?',
      'Pode soletrar?',
    ],
    part: 'É o nove um dois',
    email: ['ana ponto silva', 'ana ponto silva arroba exemplo ponto pt'],
    birth: ['Quatorze de maio', '14 de maio de 1982'],
  },
  pl: {
    hangs: 'Dzwonię, ponieważ',
    thinks: 'Potrzebuję tego na, yyy',
    whole: 'Poproszę dwa bilety.',
    asks: [
      'Jaki jest pana numer telefonu?',
      'Jaki jest pana adres e-mail?',
      'Kiedy się pan urodził?',
      'Proszę przeliterować.',
    ],
    part: 'To sześć zero dwa',
    email: ['anna kropka nowak', 'anna kropka nowak małpa przykład kropka pl'],
    birth: ['Czternastego maja', '14 maja 1982'],
  },
  ru: {
    hangs: 'Я звоню, потому что',
    thinks: 'Мне нужно на, эм',
    whole: 'Дайте два билета.',
    asks: [
      'Какой у вас номер телефона?',
      'Какая у вас почта?',
      'Когда вы родились?',
      'Как это пишется?',
    ],
    part: 'Это девять один шесть',
    email: ['анна точка иванова', 'анна точка иванова собака пример точка ру'],
    birth: ['Четырнадцатого мая', '14 мая 1982'],
  },
  nl: {
    hangs: 'Ik bel omdat',
    thinks: 'Ik heb het nodig op, ehm',
    whole: 'Ja, dat is het.',
    asks: [
      'Wat is uw telefoonnummer?',
      'Wat is uw e-mailadres?',
      'Wanneer bent u geboren?',
      'Kunt u dat spellen?',
    ],
    part: 'Het is nul zes een',
    email: ['anna punt bakker', 'anna punt bakker apenstaartje voorbeeld punt nl'],
    birth: ['Veertien mei', '14 mei 1982'],
  },
};

describe.each(LANGUAGES)('endpointing cues of %s', (language) => {
  const sample = SAMPLES[language];

  it('distinguish incomplete endings, fillers and complete sentences', () => {
    const ending = (text: string) => endpointingCuesOf(text, language, undefined).ending;
    expect(ending(sample.hangs)).toBe('incomplete');
    expect(ending(sample.thinks)).toBe('filler');
    expect(ending(sample.whole)).toBe('complete');
  });

  it('include the entity that the agent asked for', () => {
    const [digits, email, birth, spelling] = sample.asks.map((text) =>
      expectedEntityOf(text, language),
    );
    expect({ digits, email, birth, spelling }).toEqual({
      digits: 'digits',
      email: 'email',
      birth: 'birth-date',
      spelling: 'spelling',
    });
    const typed = sample.asks[3].replaceAll('’', "'");
    expect(expectedEntityOf(typed, language)).toBe('spelling');
    expect(expectedEntityOf(sample.whole, language)).toBeUndefined();
  });

  it('distinguish partial and complete numbers, addresses and dates', () => {
    const of = (text: string, entity?: 'digits' | 'email' | 'birth-date') =>
      endpointingCuesOf(text, language, entity).entity;
    expect(of(sample.part)).toBe('partial');
    expect(of(sample.part, 'digits')).toBe('partial');
    expect(of('415-555-0192', 'digits')).toBe('complete');
    expect(of(sample.email[0], 'email')).toBe('partial');
    expect(of(sample.email[1], 'email')).toBe('complete');
    expect(of('anna@example.com', 'email')).toBe('complete');
    expect(of(sample.birth[0], 'birth-date')).toBe('partial');
    expect(of(sample.birth[1], 'birth-date')).toBe('complete');
  });

  it('ignore a plain sentence and a time of day', () => {
    expect(endpointingCuesOf(sample.whole, language, undefined).entity).toBeUndefined();
    expect(endpointingCuesOf(`${sample.whole} 7:30`, language, undefined).entity).toBeUndefined();
  });
});

describe('tables of endpointing cues', () => {
  it('have no empty list', () => {
    for (const words of Object.values(TURN_WORDS)) {
      const { questions, ...lists } = words;
      for (const list of [...Object.values(lists), ...Object.values(questions)]) {
        expect(list).toMatch(/^\S+( \S+)*$/);
      }
    }
  });

  it('have no result for an unsupported language', () => {
    expect(endpointingCuesOf('because', 'xx', undefined)).toEqual({
      ending: 'complete',
      entity: undefined,
    });
    expect(expectedEntityOf('Your number?', 'xx')).toBeUndefined();
  });

  it('recognise spelled letters in any notation', () => {
    const spelt = (text: string) => endpointingCuesOf(text, 'en', 'spelling').entity;
    expect(spelt('S. M.')).toBe('partial');
    expect(spelt('S.M.Y.T.H.')).toBe('plausible');
    expect(spelt('SMYTH')).toBe('plausible');
    expect(spelt('S, M, Y, T, H.')).toBe('plausible');
    expect(spelt('Sure.')).toBe('missing');
    expect(endpointingCuesOf('The code is A B', 'en', undefined).entity).toBe('partial');
    expect(endpointingCuesOf('I have 20.', 'en', undefined).entity).toBeUndefined();
    expect(endpointingCuesOf('That was in 1982.', 'en', undefined).entity).toBeUndefined();
  });
});
