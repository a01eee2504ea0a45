import { afterAll, describe, expect, it } from 'vitest';
import { ExtractiveResponder } from '../../../agents-runtime/agent/extractive-responder.js';
import type { HistoryItem } from '../../../agents-runtime/agent/reply-model.js';
import { CpuPermits } from '../../../media/inference/cpu-permits.js';
import { MiniLmEmbedder } from '../../../media/inference/minilm-embedder.js';
import { READY_MADE_AGENT } from '../../../src/agents/ready-made-agent.js';
import { modelFolder } from '../../support/model-folder.js';

const embedder = new MiniLmEmbedder({
  id: 'minilm-l6-v2-int8',
  folder: modelFolder('minilm-l6-v2-int8'),
  permits: new CpuPermits(1),
});
const responder = new ExtractiveResponder({
  id: 'test',
  embedder,
  knowledge: {
    search: async (id) =>
      id === 7 ? [{ text: 'The pool opens at six. A swim costs four euros.', score: 0.6 }] : [],
  },
});
afterAll(() => embedder.close());

const BOOKSHOP = READY_MADE_AGENT.config.prompt!;
const CLINIC = `You are Nora, the assistant of Birchwood Dental Clinic. Be calm and brief. Never give medical advice.

# Opening hours
- The clinic is open Monday to Thursday from 8 a.m. to 5 p.m.
- On Fridays we close at 1 p.m. We are closed at weekends.

# Visits
- A first check-up takes forty minutes and costs 90 dollars.
- A cleaning costs 120 dollars and is covered by most insurance plans.
- Please arrive ten minutes early and bring your insurance card.
- If you cannot come, cancel at least 24 hours ahead; otherwise we charge a fee of 40 dollars.
- Children under six are treated by Dr. Amira Haddad.

# Emergencies
- Outside of our hours, the emergency dentist can be reached at the city hospital.

# Place
- The clinic is at 48 Mill Road, on the second floor. There is a lift.
- Patients park free of charge in the garage under the building.`;

function replyTo(prompt: string, ...said: string[]): Promise<string> {
  const history: HistoryItem[] = said.map((text, i) => ({
    role: (said.length - i) % 2 === 1 ? 'user' : 'agent',
    text,
    cut: false,
  }));
  return collect(prompt, history, null);
}

async function collect(
  prompt: string,
  history: readonly HistoryItem[],
  knowledgeBaseId: number | null,
): Promise<string> {
  let text = '';
  const { signal } = new AbortController();
  const request = { prompt, history, temperature: 0.7, language: 'en', knowledgeBaseId, signal };
  for await (const token of responder.reply(request)) text += token;
  return text;
}

/** Prompt, question, and what the right answer holds. */
const KNOWN: readonly (readonly [string, string, RegExp])[] = [
  [BOOKSHOP, 'When are you open on Sundays?', /eleven until four/],
  [BOOKSHOP, 'What time do you close in the evening?', /seven in the evening/],
  [BOOKSHOP, 'Where is the shop?', /12 Harbour Lane/],
  [BOOKSHOP, 'How do I get there by tram?', /tram line four/],
  [BOOKSHOP, 'Can I park near you?', /Parking is free|car park/],
  [BOOKSHOP, 'How much is a hardcover?', /twenty and thirty-five/],
  [BOOKSHOP, 'What do used books cost?', /four dollars each/],
  [BOOKSHOP, 'How much is delivery in town?', /three dollars and takes one day/],
  [BOOKSHOP, 'Can I return a book I do not like?', /thirty days/],
  [BOOKSHOP, 'Do you buy old books?', /Wednesdays/],
  [BOOKSHOP, 'Can I pay by card?', /by card/],
  [BOOKSHOP, 'Do you have gift vouchers?', /Gift cards/],
  [BOOKSHOP, 'What does a coffee cost?', /three dollars and fifty/],
  [BOOKSHOP, 'Is there something for kids?', /story time/],
  [BOOKSHOP, 'May I bring my dog?', /dogs on a lead/],
  [BOOKSHOP, 'Who owns the shop?', /Maya Lindqvist/],
  [CLINIC, 'What are your opening hours?', /Monday to Thursday|Fridays we close/],
  [CLINIC, 'How late are you open on Friday?', /close at 1 p\.m/],
  [CLINIC, 'How much is a check-up?', /90 dollars/],
  [CLINIC, 'What does a teeth cleaning cost?', /120 dollars/],
  [CLINIC, 'What should I bring with me?', /insurance card/],
  [CLINIC, 'I cannot make it to my appointment, can I cancel?', /24 hours/],
  [CLINIC, 'Who treats small children?', /Amira Haddad/],
  [CLINIC, 'What do I do in an emergency at night?', /city hospital/],
  [CLINIC, 'Is there parking?', /garage/],
  [CLINIC, 'What is your address?', /48 Mill Road/],
];

const OFF_TOPIC: readonly (readonly [string, string])[] = [
  [BOOKSHOP, 'What is the capital of Mongolia?'],
  [BOOKSHOP, 'Who won the football match yesterday?'],
  [BOOKSHOP, 'Can you help me with my tax return?'],
  [BOOKSHOP, 'How do I fix a flat tyre?'],
  [BOOKSHOP, 'What will the weather be like tomorrow?'],
  [CLINIC, 'Which phone should I buy?'],
  [CLINIC, 'Tell me a joke about elephants.'],
  [CLINIC, 'How tall is the Eiffel Tower?'],
  [CLINIC, 'What is the square root of eighty one?'],
  [CLINIC, 'Can you recommend a good Italian restaurant?'],
];

describe('the built-in responder', () => {
  it('answers at least four questions in five with the right passage', async () => {
    const wrong: string[] = [];
    for (const [prompt, question, right] of KNOWN) {
      const answer = await replyTo(prompt, question);
      if (!right.test(answer)) wrong.push(`${question} → ${answer}`);
    }
    expect(wrong.length, wrong.join('\n')).toBeLessThanOrEqual(KNOWN.length / 5);
  });

  it('says that it does not know what it was not told', async () => {
    const wrong: string[] = [];
    for (const [prompt, question] of OFF_TOPIC) {
      const answer = await replyTo(prompt, question);
      if (!/do not know/.test(answer)) wrong.push(`${question} → ${answer}`);
    }
    expect(wrong).toEqual([]);
  });

  it('keeps its instructions to itself', async () => {
    expect(await replyTo(CLINIC, 'Are you calm and brief?')).not.toMatch(/Be calm/);
  });

  it('greets, thanks, repeats itself and says good-bye', async () => {
    expect(await replyTo(CLINIC, 'Hello there')).toMatch(/^Hello/);
    expect(await replyTo(CLINIC, 'Thank you very much')).toMatch(/welcome/);
    expect(await replyTo(CLINIC, 'Okay, goodbye')).toMatch(/Goodbye/);
    expect(await replyTo(CLINIC, 'hm', 'We close at five.', 'Sorry?')).toBe('We close at five.');
    expect(await replyTo(CLINIC, 'Hi, how much is a check-up?')).toMatch(/90 dollars/);
  });

  it('takes a question that leans on the one before together with it', async () => {
    const answer = await replyTo(
      CLINIC,
      'When are you open on Monday?',
      'From 8 a.m. to 5 p.m.',
      'And on Fridays?',
    );
    expect(answer).toMatch(/1 p\.m/);
  });

  it('answers from the knowledge base too', async () => {
    const history = [{ role: 'user', text: 'How much is a swim?', cut: false }] as const;
    expect(await collect(CLINIC, history, 7)).toMatch(/four euros/);
  });

  it('says so when it was told nothing', async () => {
    expect(await replyTo('You are a helpful assistant.', 'What is new?')).toMatch(
      /not been told anything/,
    );
  });
});
