import type { SteppedTask } from '../../../media/async/cooperative.js';
import { chunkTextInSteps, splitIntoSentences } from '../../../media/embeddings/text-chunker.js';

/** Sentences below one heading. */
export interface FactPassage {
  readonly heading: string;
  readonly sentences: readonly string[];
}

/** Sentences that instruct the agent. */
const INSTRUCTION =
  /^(please )?(you are|you're|you will|you should|you must|you have to|you may|you can (?:only )?(?:answer|use)|your |answer|never|always|do not|don't|be |speak|keep|ask|offer|use |act|respond|reply|greet|say |tell |if (they|the caller|a caller|callers|the user|a user|the customer|a customer|someone asks|you do|you don't know|you cannot (answer|help)|asked|unsure)|when (the caller|a caller|callers|the user|a user|the customer|a customer|someone asks|asked)|stay|help (the|callers|users|customers)|only (answer|use|speak|talk)|assist|make sure|remember|try to|avoid|refuse|let the (caller|user|customer)|introduce|confirm|collect|begin|start (by|with|the call)|end (the call|with|by)|transfer|escalate|pretend|follow|under no circumstances|the (assistant|agent) (should|must|will|may))/i;
/** Words that only instructions contain. */
const ABOUT_ITSELF =
  /\b(system prompt|these instructions|the facts below|the information below|language model|role-?play|short sentences)\b/i;
/** Titles of sections that hold only instructions. */
const INSTRUCTIONS_TITLE =
  /^((your|the|agent|assistant|response|speaking|conversation|call|voice|general|important) )*(instructions?|style|personality|persona|tone|guard ?rails?|behaviou?r|role|goals?|tasks?|objectives?|flow|identity|guidelines|rules|script|steps|examples?)$/i;

const PASSAGES_PER_STEP = 4;

/** The facts of a prompt, without its instructions. Works in steps, as a prompt may be long. */
export function* factsOf(prompt: string, language: string): SteppedTask<FactPassage[]> {
  const facts: FactPassage[] = [];
  const passages = yield* chunkTextInSteps(prompt, language);
  for (const [index, { heading, text }] of passages.entries()) {
    if (index % PASSAGES_PER_STEP === PASSAGES_PER_STEP - 1) yield;
    if (heading.split(', ').some((title) => INSTRUCTIONS_TITLE.test(title))) continue;
    const sentences = splitIntoSentences(text, language).filter(
      (sentence) => !INSTRUCTION.test(sentence) && !ABOUT_ITSELF.test(sentence),
    );
    if (sentences.length > 0) facts.push({ heading, sentences });
  }
  return facts;
}
