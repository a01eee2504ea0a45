import { expect, it } from 'vitest';

const { checkNode } = (await import(
  new URL('../../../scripts/checkout.mjs', import.meta.url).href
)) as { checkNode(version: string): void };

it.each(['18.20.4', '20.9.0', '20.18.3'])('Node %s is rejected in one sentence', (version) => {
  expect(() => checkNode(version)).toThrow(
    new RegExp(`^Node ${version.replaceAll('.', '\\.')} is too old: install Node 20\\.19 or later`),
  );
});

it.each(['20.19.0', '20.20.2', '22.0.0'])('Node %s is accepted', (version) => {
  expect(checkNode(version)).toBeUndefined();
});
