import type { Account } from '../../src/features/auth/accounts.repository.js';
import type { ApiKeyInfo } from '../../src/features/auth/api-keys.repository.js';
import type { OwnedNumber } from './phone-numbers.js';

export function accountLines(accounts: readonly Account[]): string {
  return inColumns([
    ['ID', 'NAME', 'CREDITS', 'PER 1,000 CHARACTERS', 'PER CALL SECOND'],
    ...accounts.map(({ id, name, balance, pricePer1000Characters, pricePerCallSecond }) => [
      id,
      name,
      balance === null ? 'unlimited' : short(balance),
      short(pricePer1000Characters),
      short(pricePerCallSecond),
    ]),
  ]);
}

export function keyLines(keys: readonly ApiKeyInfo[]): string {
  return inColumns([
    ['ID', 'NAME', 'STATE', 'SCOPES', 'EXPIRES', 'LAST USED'],
    ...keys.map(({ id, name, isActive, scopes, expiresAt, lastUsedAt }) => [
      String(id),
      name,
      isActive ? 'active' : 'revoked',
      scopes.join(','),
      expiresAt?.toISOString() ?? 'never',
      lastUsedAt?.toISOString() ?? 'never',
    ]),
  ]);
}

export function numberLines(numbers: readonly OwnedNumber[]): string {
  return inColumns([
    ['NUMBER', 'ACCOUNT', 'NAME', 'CARRIER', 'ASSIGNED'],
    ...numbers.map(({ phoneNumber, accountId, accountName, provider, isAssigned }) => [
      phoneNumber,
      accountId,
      accountName,
      provider ?? '-',
      isAssigned ? 'yes' : 'no',
    ]),
  ]);
}

/** Removes trailing zeros, which the database adds. */
function short(amount: string): string {
  return amount.includes('.') ? amount.replace(/\.?0+$/, '') : amount;
}

function inColumns(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) => row.map((cell, i) => cell.padEnd(widths[i]!)).join('  '));
  return lines.map((line) => line.trimEnd()).join('\n');
}
