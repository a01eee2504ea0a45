import { describe, expect, it } from 'vitest';
import { splitSentences } from '../../../media/text/sentences.js';

/** One sentence each, with abbreviations, initials, ordinals and decimals. */
const WHOLE: Readonly<Record<string, readonly string[]>> = {
  de: [
    'Das gilt z. B. Montags und u. a. Dienstags.',
    'Am 3. Mai kommt Frau Dr. E. T. Hoffmann.',
    'Es kostet 3.50 Euro, d. h. Nichts.',
    'Der 1. FC spielt im 2. Halbjahr bei ca. 20 Grad.',
    'Wir sind i. d. R. Freitags da, inkl. Nr. 5 in der Hauptstr. 7.',
  ],
  es: [
    'El presidente de EE. UU. Biden habló con la Dra. Ruiz.',
    'Vive en la C. Mayor, núm. 5, p. ej. Madrid.',
    'El 3.er piso mide 3.5 metros, pág. 7 del vol. II.',
    'Son las 5 p. m. en Madrid y J. L. Borges escribe.',
  ],
  fr: [
    'M. Dupont et Mme Durand habitent bd. Voltaire, n° 5.',
    'En 50 av. J.-C. la ville était grande, cf. Tacite, p. ex. Annales.',
    'Il mesure 1.80 mètre, env. Six pieds, dit J. P. Martin.',
  ],
  it: [
    'Il Sig. Rossi e la Dott.ssa Bianchi vivono in V.le Roma, n. 5.',
    'Il prezzo è 3.50 euro, p. es. Milano o S. Remo.',
    'G. B. Vico nacque nel 1668, cfr. Croce, pag. 3.',
  ],
  pt: [
    'O Sr. Silva e a Dra. Lima moram na Av. Paulista, n. 5.',
    'O preço é 3.50 reais, p. ex. São Paulo.',
    'Machado J. M. de Assis nasceu em 1839, cf. Pág. 3.',
  ],
  ca: [
    'El Sr. Puig i la Dra. Mas viuen al c. Major, núm. 5.',
    'Costa 3.50 euros, p. ex. Barcelona o St. Cugat.',
    'J. V. Foix va néixer el 1893, vegeu la pàg. 3.',
  ],
  nl: [
    'Dhr. Jansen en mevr. P. Smit wonen op nr. 5.',
    'Het kost 3.50 euro, d.w.z. Niets, bijv. Amsterdam.',
    'Prof. dr. J. de Vries komt m.b.t. Utrecht, incl. Btw.',
  ],
  sv: [
    'Dr. Åsa och prof. K. Berg bor på nr. 5.',
    'Det kostar 3.50 kronor, t.ex. Stockholm, bl.a. Malmö.',
    'Tåget går kl. 9.05, dvs. Strax, p.g.a. Snö.',
  ],
  pl: [
    'Prof. J. Nowak mieszka przy ul. Długiej, nr. 5.',
    'Dnia 3. maja o godz. Dwunastej, m.in. Warszawa, np. Kraków.',
    'Kosztuje 3.50 zł, tzn. Niewiele, tj. Mało.',
  ],
  ru: [
    'А. С. Пушкин жил на ул. Арбат, д. 5.',
    'Это стоит 3.5 рубля, т. е. Немного, напр. Хлеб.',
    'Проф. Иванов и г-н Петров живут в г. Москва, кв. 7.',
    'Смотри стр. 5, см. Приложение и т. п. документы.',
  ],
};

describe.each(Object.entries(WHOLE))('sentence ends in %s', (language, sentences) => {
  it.each(sentences)('"%s" is one sentence', (sentence) => {
    expect(splitSentences(sentence, language).map(({ text }) => text)).toEqual([sentence]);
  });

  it('include the end before another sentence', () => {
    const text = sentences.join(' ');
    expect(splitSentences(text, language).map(({ text: said }) => said)).toEqual(sentences);
  });
});
