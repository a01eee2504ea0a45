import { Pagination } from '../../platform/http/validation/pagination.js';
import {
  float,
  int,
  list,
  model,
  oneOf,
  str,
} from '../../platform/http/validation/schema-builders.js';
import type { ReceiptRow } from './deletion-receipts.repository.js';

/** A hundred years. */
const MAX_DAYS = 36_500;

const days = (what: string) =>
  int({ ge: 0, le: MAX_DAYS, description: `Days after the end of a call; null: ${what}.` });

export const AccountRetention = model({
  audio_days: days('never deleted').nullable().optional(),
  transcript_days: days('never deleted').nullable().optional(),
}).meta({ id: 'AccountRetention' });

export const AgentRetention = model({
  audio_days: days("the account's policy applies").nullable().optional(),
  transcript_days: days("the account's policy applies").nullable().optional(),
}).meta({ id: 'AgentRetention' });

export const Retention = model({
  audio_days: int().nullable(),
  transcript_days: int().nullable(),
}).meta({ id: 'Retention' });

export const AgentRetentionAnswer = model({
  agent_id: str(),
  audio_days: int().nullable(),
  transcript_days: int().nullable(),
  effective: Retention,
}).meta({ id: 'AgentRetentionAnswer' });

export const Receipt = model({
  receipt_id: int(),
  cause: oneOf(['retention', 'call', 'number']),
  agent_id: str().nullable(),
  audio_days: int().nullable(),
  transcript_days: int().nullable(),
  calls: int(),
  turns: int(),
  recordings: int(),
  recording_bytes: float(),
  webhook_deliveries: int(),
  begun_at: str({ format: 'date-time' }),
  finished_at: str({ format: 'date-time' }).nullable(),
}).meta({ id: 'DeletionReceipt' });

export const ReceiptPage = model({ items: list(Receipt), pagination: Pagination }).meta({
  id: 'DeletionReceipts',
});

export function toReceipt(row: ReceiptRow) {
  const { id, account_id: _, recording_bytes, begun_at, finished_at, ...counts } = row;
  return {
    receipt_id: id,
    ...counts,
    recording_bytes: Number(recording_bytes),
    begun_at: begun_at.toISOString(),
    finished_at: finished_at?.toISOString() ?? null,
  };
}
