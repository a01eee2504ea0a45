import { createContext, Script } from 'node:vm';

/** One pattern on one text may take so long: those of people's schemas can take for ever. */
const LIMIT_MS = 50;

/** Holds one pattern and one text at a time. */
const context = createContext({ pattern: undefined as RegExp | undefined, text: '' });
const match = new Script('pattern.test(text)');

/** A regular expression that gives up: a text on which it takes too long does not match. */
export interface TimedPattern {
  test(text: string): boolean;
}

/** Compiles a pattern of a JSON Schema. @throws SyntaxError when it is none */
export function timedPattern(source: string, flags: string): TimedPattern {
  const pattern = new RegExp(source, flags);
  return {
    test(text) {
      Object.assign(context, { pattern, text });
      try {
        return match.runInContext(context, { timeout: LIMIT_MS }) === true;
      } catch {
        return false;
      }
    },
  };
}
timedPattern.code = 'timedPattern';
