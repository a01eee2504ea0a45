import { SaxesParser, type SaxesTagNS } from 'saxes';
import type { PronunciationRule } from '../dictionary/pronunciation-rule.js';
import { decodeXml } from './decode-xml.js';
import {
  LexemeReader,
  OWN,
  PLS,
  type PlsLimits,
  preferredFirst,
  type ReadRule,
} from './lexeme-reader.js';
import { PlsError } from './pls-error.js';

/** Limits and accepted languages of a lexicon. */
export interface PlsOptions {
  readonly limits: PlsLimits;
  /** Accepted languages of the lexicon, ISO 639-1. */
  readonly languages: readonly string[];
  /** Creates the id of a rule that has none in the file. */
  readonly makeId: () => string;
}

/** The content of a lexicon. */
export interface PronunciationLexicon {
  /** ISO 639-1. */
  readonly language: string;
  readonly rules: readonly PronunciationRule[];
}

/** UTF-16 units that are parsed in one step. */
const SLICE = 32_768;
/** Maximum depth of elements; only metadata needs more than a few levels. */
const MAX_DEPTH = 12;
/** Maximum number of elements of all kinds for each permitted rule. */
const ELEMENTS_PER_RULE = 16;
const ALPHABETS: ReadonlyMap<string, 'ipa' | 'x-sampa'> = new Map([
  ['ipa', 'ipa'],
  ['x-sampa', 'x-sampa'],
  ['x-SAMPA', 'x-sampa'],
]);

/**
 * Reads a pronunciation lexicon. Source: W3C, Pronunciation Lexicon Specification 1.0. DTDs, entities and
 * references to other files are rejected.
 * @param bytes - the file; the caller limits its size
 * @throws PlsError for an invalid file
 */
export function readPls(bytes: Uint8Array, options: PlsOptions): PronunciationLexicon {
  const reader = new PlsReader(bytes, options);
  while (!reader.isAtEnd) reader.readOn();
  return reader.lexicon();
}

type Tag = SaxesTagNS;

/** Like `readPls`, in parts of a few milliseconds each. */
export class PlsReader {
  readonly #text: string;
  #read = 0;
  readonly #options: PlsOptions;
  readonly #parser = new SaxesParser({
    xmlns: true,
    defaultXMLVersion: '1.0',
    forceXMLVersion: true,
  });
  readonly #rules: ReadRule[] = [];
  #language: string | undefined;
  #alphabet = '';
  #lexeme: LexemeReader | undefined;
  /** Depth of the element, such as `metadata`, whose content is ignored. */
  #skippedFrom: number | undefined;
  #depth = 0;
  #elements = 0;
  /** Start of the current tag. */
  #tagLine = 1;
  #tagColumn = 1;

  /** @throws PlsError if the bytes are not text */
  constructor(bytes: Uint8Array, options: PlsOptions) {
    this.#text = decodeXml(bytes);
    this.#options = options;
    const parser = this.#parser;
    // The parser appends the position to its message.
    parser.on('error', ({ message }) => this.#fail(sentenceOf(message)));
    parser.on('doctype', () => this.#failAt('<!DOCTYPE', 'Document type declarations are refused'));
    parser.on('processinginstruction', ({ target }) => {
      if (target === 'xml-stylesheet') this.#fail('References to other files are refused');
    });
    parser.on('opentagstart', ({ name }) => {
      this.#tagLine = parser.line;
      this.#tagColumn = Math.max(1, parser.column - name.length - 1);
    });
    parser.on('opentag', (tag) => this.#open(tag));
    parser.on('closetag', (tag) => this.#close(tag));
    parser.on('text', (text) => this.#addText(text));
    parser.on('cdata', (text) => this.#addText(text));
  }

  get isAtEnd(): boolean {
    return this.#read >= this.#text.length;
  }

  /** Reads the next part, which takes a few milliseconds. @throws PlsError */
  readOn(): void {
    const slice = this.#text.slice(this.#read, this.#read + SLICE);
    this.#read += SLICE;
    this.#parser.write(slice);
  }

  /** Returns the result. Call it once, when `isAtEnd` is true. @throws PlsError */
  lexicon(): PronunciationLexicon {
    this.#parser.close();
    if (this.#language === undefined) this.#fail('There is no lexicon');
    return { language: this.#language!, rules: this.#withIds() };
  }

  #open(tag: Tag): void {
    this.#depth++;
    this.#elements++;
    if (this.#depth > MAX_DEPTH) this.#failAtTag(`Nesting deeper than ${MAX_DEPTH} levels`);
    if (this.#elements > this.#options.limits.rules * ELEMENTS_PER_RULE + 1_000) {
      this.#failAtTag('There are too many elements');
    }
    if (this.#skippedFrom !== undefined) return;
    if (this.#depth === 1) this.#openLexicon(tag);
    else if (tag.uri !== PLS) this.#failAtTag(`<${tag.name}> is not in the namespace ${PLS}`);
    else if (this.#depth === 2) this.#openPart(tag);
    else if (this.#lexeme) this.#openInLexeme(tag);
    else this.#failAtTag(`<${tag.name}> does not belong here`);
  }

  #openLexicon(tag: Tag): void {
    if (tag.local !== 'lexicon' || tag.uri !== PLS) {
      this.#failAtTag(`The root must be a lexicon of the namespace ${PLS}`);
    }
    if (attribute(tag, 'version') !== '1.0')
      this.#failAtTag('The version of a lexicon must be 1.0');
    this.#language = this.#languageOf(attribute(tag, 'xml:lang'));
    const alphabet = attribute(tag, 'alphabet');
    if (!alphabet) this.#failAtTag('A lexicon must have the attribute `alphabet`');
    this.#alphabet = alphabet!;
  }

  /** Returns the first part of a language tag: `en` for `en-GB`. */
  #languageOf(tag: string | undefined): string {
    if (!tag) return this.#failAtTag('A lexicon must have the attribute `xml:lang`');
    const language = tag.split('-', 1)[0]!.toLowerCase();
    const { languages } = this.#options;
    if (languages.includes(language)) return language;
    const allowed = languages.length === 1 ? languages[0] : `one of ${languages.join(', ')}`;
    return this.#failAtTag(`xml:lang is ${tag.slice(0, 35)}, and should be ${allowed}`);
  }

  #openPart(tag: Tag): void {
    if (tag.local === 'lexeme') {
      const own = (name: string) =>
        Object.values(tag.attributes).find(({ uri, local }) => uri === OWN && local === name)
          ?.value;
      this.#lexeme = new LexemeReader(
        { line: this.#tagLine, column: this.#tagColumn },
        { id: own('id'), caseSensitive: own('case-sensitive') },
        this.#options.limits,
      );
    } else if (tag.local === 'meta' || tag.local === 'metadata') {
      this.#skippedFrom = this.#depth;
    } else {
      this.#failAtTag(`<${tag.name}> does not belong into a lexicon`);
    }
  }

  #openInLexeme(tag: Tag): void {
    if (this.#depth > 3) this.#failAtTag(`<${tag.name}> does not belong into text`);
    if (tag.local === 'example') {
      this.#skippedFrom = this.#depth;
      return;
    }
    if (tag.local !== 'grapheme' && tag.local !== 'phoneme' && tag.local !== 'alias') {
      this.#failAtTag(`<${tag.name}> does not belong into a lexeme`);
    }
    const name = attribute(tag, 'alphabet') ?? this.#alphabet;
    const alphabet = ALPHABETS.get(name);
    if (tag.local === 'phoneme' && !alphabet) {
      this.#failAtTag('The alphabet of a phoneme must be ipa or x-sampa');
    }
    const prefer = attribute(tag, 'prefer') ?? 'false';
    if (prefer !== 'true' && prefer !== 'false') this.#failAtTag('prefer must be true or false');
    this.#lexeme!.begin({
      kind: tag.local as 'grapheme' | 'phoneme' | 'alias',
      alphabet: alphabet ?? 'ipa',
      isPreferred: prefer === 'true',
      line: this.#tagLine,
      column: this.#tagColumn,
    });
  }

  #close(tag: Tag): void {
    if (this.#skippedFrom === this.#depth) this.#skippedFrom = undefined;
    else if (this.#skippedFrom === undefined && this.#depth === 3) this.#lexeme?.finish();
    else if (this.#depth === 2 && tag.local === 'lexeme' && this.#lexeme) {
      this.#rules.push(...this.#lexeme.rules());
      this.#lexeme = undefined;
      if (this.#rules.length > this.#options.limits.rules) {
        this.#fail(`There are more than ${this.#options.limits.rules} rules`);
      }
    }
    this.#depth--;
  }

  #addText(text: string): void {
    if (this.#skippedFrom !== undefined) return;
    if (this.#lexeme?.isOpen) this.#lexeme.add(text);
    else if (text.trim() !== '') this.#fail('There is text between the elements');
  }

  #withIds(): PronunciationRule[] {
    const known = new Set<string>();
    return preferredFirst(this.#rules).map(({ place, isPreferred: _, ...rule }) => {
      const id = rule.id ?? this.#options.makeId();
      if (known.has(id))
        throw new PlsError('The id of a rule is used twice', place.line, place.column);
      known.add(id);
      return { ...rule, id };
    });
  }

  #failAt(part: string, sentence: string): never {
    const before = this.#text.slice(
      0,
      Math.max(0, this.#text.lastIndexOf(part, this.#parser.position)),
    );
    const line = before.split('\n').length;
    throw new PlsError(sentence, line, before.length - before.lastIndexOf('\n'));
  }

  #failAtTag(sentence: string): never {
    throw new PlsError(sentence, this.#tagLine, this.#tagColumn);
  }

  #fail(sentence: string): never {
    throw new PlsError(sentence, this.#parser.line, Math.max(1, this.#parser.column));
  }
}

/** Returns an attribute without namespace, or with the prefix `xml:`. */
function attribute(tag: Tag, name: string): string | undefined {
  return Object.hasOwn(tag.attributes, name) ? tag.attributes[name]!.value : undefined;
}

/** Converts a message of the parser, such as "1:5: undefined entity.". */
function sentenceOf(message: string): string {
  const plain = message.replace(/^\d+:\d+: /, '').replace(/\.$/, '');
  return `The XML is not well formed: ${plain.slice(0, 200)}`;
}
