import { expect, it } from 'vitest';
import { mcpToolNames } from '../../../../src/features/agent-tools/mcp/tool-names.js';

const names = (tools: readonly (readonly [string, string])[], taken: readonly string[] = []) =>
  mcpToolNames(
    tools.map(([server, name]) => ({ server, name })),
    taken,
  );

it('tool names are kept if possible and made valid for LLMs', () => {
  expect(
    names([
      ['shop', 'look'],
      ['bank', 'pay.now ☃'],
    ]),
  ).toEqual(['look', 'pay_now_']);
});

it('duplicate and reserved tool names get the name of the server as prefix', () => {
  expect(
    names(
      [
        ['shop', 'look'],
        ['bank', 'look'],
        ['bank', 'end_call'],
      ],
      ['end_call'],
    ),
  ).toEqual(['shop_look', 'bank_look', 'bank_end_call']);
});

it('tools whose names are still duplicate are left out', () => {
  expect(
    names([
      ['a', 'x'],
      ['a', 'x'],
      ['b', ''],
    ]),
  ).toEqual(['a_x', undefined, undefined]);
  const long = 'n'.repeat(80);
  expect(
    names([
      ['s', long],
      ['t', long],
    ]).map((name) => name?.length),
  ).toEqual([64, 64]);
});
