/** Data that callers say in parts. */
export type EntityKind = 'digits' | 'email' | 'birth-date' | 'spelling' | 'date';

/**
 * Words of one language that show whether a turn continues: data only. Lists are words separated by
 * spaces; an underscore joins the words of a phrase, a star stands for any letters.
 */
export interface TurnWords {
  /** Words that rarely end a turn: conjunctions, prepositions, articles, transitive verbs, phrases of uncertainty such as "not sure". */
  readonly incompleteEndings: string;
  /** Phrases that end with such a word and are complete. */
  readonly completeEndings: string;
  /** Hesitation sounds. */
  readonly fillers: string;
  /** Number words, in the parts in which long numbers are read out. */
  readonly numbers: string;
  /** Ordinals for the day of a date. */
  readonly ordinals: string;
  /** Words of a question that asks for such data. */
  readonly questions: Readonly<Record<EntityKind, string>>;
  /** Spoken signs of an e-mail address. */
  readonly at: string;
  readonly dot: string;
  /** Words and sounds that mean "I am listening"; they neither interrupt nor need an answer. */
  readonly backchannels: string;
}
