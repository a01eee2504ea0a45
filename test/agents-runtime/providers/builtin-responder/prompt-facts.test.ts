import { describe, expect, it } from 'vitest';
import { factsOf } from '../../../../agents-runtime/providers/builtin-responder/prompt-facts.js';
import { runInSteps, runToEnd } from '../../../../media/async/cooperative.js';

describe('facts of a prompt', () => {
  it('are its sentences except for instructions, with the titles above them', () => {
    const prompt = `# Style
The sky is blue.

# Prices
Never give a discount. A swim costs four euros.

Always be kind.`;
    expect(runToEnd(factsOf(prompt, 'en'))).toEqual([
      { heading: 'Prices', sentences: ['A swim costs four euros.'] },
    ]);
  });

  it.each([
    ['many passages', 'A swim costs four euros here. Towels are one euro each.\n\n'.repeat(3_500)],
    ['one of many sentences', 'A swim costs four euros. '.repeat(8_000)],
    ['instructions', 'Never give a discount to anybody at all.\n\n'.repeat(4_800)],
  ])('of 200,000 characters are extracted with regular pauses: %s', async (_, prompt) => {
    let pauses = 0;
    const facts = await runInSteps(factsOf(prompt, 'en'), async () => void pauses++);
    expect(pauses).toBeGreaterThan(100);
    expect(facts).toEqual(runToEnd(factsOf(prompt, 'en')));
  });
});
