/** Source: W3C, Pronunciation Lexicon Specification 1.0, 2008-10-14. */
export const PLS = 'http://www.w3.org/2005/01/pronunciation-lexicon';
/** Of the attributes in which a rule's `id` and `case-sensitive` travel, on its lexeme. */
export const OWN = 'urn:x-parley:pronunciation-dictionary';
