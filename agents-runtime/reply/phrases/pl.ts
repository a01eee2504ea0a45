import type { StockPhrases } from './stock-phrases.js';

export const POLISH_PHRASES: StockPhrases = {
  prompts: ['Czy jest tam jeszcze ktoś?', 'Halo? Czy mnie słychać?'],
  warning: 'Zostało nam około pół minuty.',
  noAudio: 'Nie słyszę żadnego dźwięku. Proszę sprawdzić mikrofon.',
  notUnderstood: 'Przepraszam, to było niewyraźne. Proszę powtórzyć.',
  voiceApology: 'Przepraszam, głos mi się urwał. Proszę zapytać jeszcze raz.',
  fillers: ['Chwileczkę.', 'To jeszcze chwilę potrwa.'],
  noAnswer: 'Przepraszam, nie udało mi się teraz odpowiedzieć. Czy może pan powtórzyć?',
  brokenOff: 'Przepraszam, moja odpowiedź się urwała.',
  goodbyes: {
    silence: 'Nic już nie słyszę, więc kończę rozmowę. Do widzenia.',
    limit: 'Nasz czas minął. Dziękuję i do widzenia.',
    fault: 'Przepraszam, coś tu nie działa. Proszę zadzwonić później. Do widzenia.',
    other: 'Do widzenia.',
  },
};
