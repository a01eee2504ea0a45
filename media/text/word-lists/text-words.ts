/** Signs in e-mail and web addresses that are spoken. */
type AddressSign = '.' | '@' | '/' | '-' | '_' | '+' | '=' | '&' | '?' | '#' | ':' | '%' | '~';

/** Words of one language for addresses and sentence ends: data only. Lists are words separated by spaces. */
export interface TextWords {
  readonly signs: Readonly<Record<AddressSign, string>>;
  /** Abbreviations in lower case without their last full stop. */
  readonly fullStops: {
    /** A sentence never ends after these. */
    readonly inside: string;
    /** Abbreviations only before a number: "No. 5". */
    readonly beforeNumber: string;
    /** These may end a sentence; the text after them decides. */
    readonly either: string;
    /** Abbreviations unless a number precedes them: "г. Москва", but "1945 г." */
    readonly unnumbered: string;
    /** Ends of compounds that are abbreviations: "Hauptstr." */
    readonly insideEndings: string;
    /**
     * Where a full stop after a short number makes an ordinal: nowhere, before a word in lower case
     * ("3. maja"), or after an article, a preposition or the like ("am 3. Mai").
     */
    readonly ordinals: 'none' | 'before-small' | 'behind-article';
  };
}
