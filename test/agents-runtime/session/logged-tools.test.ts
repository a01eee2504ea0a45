import { describe, expect, it } from 'vitest';
import { harness } from '../../support/harness/call/call-harness.js';
import {
  harnessWithTools,
  replyWithTools,
  toolCall,
} from '../../support/harness/call/scripted-tools.js';

type Call = Pick<ReturnType<typeof harness>, 'say' | 'silence' | 'turns'>;

async function ask(call: Call, text: string, ms = 6_000): Promise<void> {
  await call.say(text, 600);
  await call.silence(ms);
}

const lastTurn = (call: Call, role: 'user' | 'agent') =>
  [...call.turns.values()].findLast((turn) => turn.role === role);

describe('tool log', () => {
  it('contains name, time and duration of each tool with its answer', async () => {
    const call = harnessWithTools(
      { look: { durationMs: 700 } },
      { reply: replyWithTools(toolCall('look', { day: 'Monday' })) },
    );
    call.call.connected();
    await ask(call, 'how many');
    const turn = lastTurn(call, 'agent')!;
    expect(turn.tools).toEqual([
      {
        name: 'look',
        kind: 'webhook',
        arguments: '{"day":"Monday"}',
        result: 'look says five',
        startedMs: expect.any(Number),
        durationMs: 700,
        outcome: 'ok',
      },
    ]);
    const [tool] = turn.tools!;
    expect(tool!.startedMs).toBeGreaterThan(lastTurn(call, 'user')!.endMs);
    expect(tool!.startedMs + tool!.durationMs).toBeLessThan(turn.endMs);
  });

  it.each([
    ['failed', { look: { fails: true } }, toolCall('look')],
    ['failed', { look: { outcome: { text: 'no', failed: true } } }, toolCall('look')],
    ['timeout', { look: { durationMs: 9_000, timeoutMs: 1_000 } }, toolCall('look')],
    ['refused', { look: {} }, toolCall('fly')],
    ['refused', { look: {} }, toolCall('look', '[1]')],
  ] as const)('contains the outcome %s', async (outcome, tools, toolCalls) => {
    const call = harnessWithTools(tools, { reply: replyWithTools(toolCalls) });
    call.call.connected();
    await ask(call, 'how many');
    const { tools: loggedTools } = lastTurn(call, 'agent')!;
    expect(loggedTools).toHaveLength(1);
    expect(loggedTools![0]).toMatchObject({ name: toolCalls.name, outcome });
  });

  it('contains a tool without a following answer, and one stopped by the end of the call', async () => {
    const skips = harnessWithTools(
      {},
      {
        config: { allowAgentToSkipTurn: true },
        reply: replyWithTools(toolCall('skip_turn')),
      },
    );
    skips.call.connected();
    await ask(skips, 'let me think');
    skips.call.hangUp('user_hangup');
    await skips.clock.run(100);
    expect(lastTurn(skips, 'agent')).toBeUndefined();
    expect(lastTurn(skips, 'user')).toMatchObject({
      text: 'let me think',
      tools: [{ name: 'skip_turn', kind: 'call', outcome: 'ok' }],
    });

    const cut = harnessWithTools(
      { look: { durationMs: 9_000 } },
      { reply: replyWithTools(toolCall('look')) },
    );
    cut.call.connected();
    await ask(cut, 'how many', 1_500);
    cut.call.hangUp('user_hangup');
    await cut.clock.run(100);
    const loggedTools = [...cut.turns.values()].flatMap(({ tools = [] }) => tools);
    expect(loggedTools).toMatchObject([{ name: 'look', outcome: 'cancelled' }]);
  });

  it('contains an async tool once, with its final result', async () => {
    const call = harnessWithTools(
      { note: { mode: 'async', durationMs: 4_000 } },
      { reply: replyWithTools(toolCall('note')) },
    );
    call.call.connected();
    await ask(call, 'write it down', 3_000);
    await call.silence(3_000);
    await ask(call, 'and now', 3_000);
    const loggedTools = [...call.turns.values()].flatMap(({ tools = [] }) => tools);
    expect(loggedTools.filter(({ outcome }) => outcome === 'ok')[0]).toMatchObject({
      name: 'note',
      result: 'note says five',
      durationMs: 4_000,
    });
  });
});

describe('source log', () => {
  it('contains the sources of an answer, with that answer only', async () => {
    const source = { knowledgeBaseId: 3, documentId: 7, title: 'Hours', passage: 'Open at six.' };
    const call = harness({
      reply: async function* ({ history, onSources }) {
        const toolCalls = history.at(-1)!.text;
        if (toolCalls === 'when') onSources?.([source]);
        yield `You asked ${toolCalls}.`;
      },
    });
    call.call.connected();
    await ask(call, 'when', 3_000);
    await ask(call, 'thanks', 3_000);
    const answers = [...call.turns.values()].filter(({ role }) => role === 'agent');
    expect(answers.map(({ sources }) => sources)).toEqual([[source], undefined]);
  });
});
