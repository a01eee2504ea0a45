import { z } from 'zod';
import { isUuid } from '../../platform/http/validation/schema-builders.js';

/** What our dispatches tell their jobs: a call that a client asked for, or an agent for who comes. */
const Metadata = z.union([
  z.object({ call_id: z.string().refine(isUuid) }),
  z.object({ account_id: z.string().min(1).max(100), agent_id: z.string().refine(isUuid) }),
]);

export type JobMetadata =
  | { readonly type: 'call'; readonly callId: string }
  | { readonly type: 'agent'; readonly accountId: string; readonly agentId: string };

/** Undefined for what no dispatch of ours has written. */
export function readJobMetadata(text: string): JobMetadata | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined; // dispatches of others may say what they like
  }
  const metadata = Metadata.safeParse(json).data;
  if (!metadata) return undefined;
  if ('call_id' in metadata) return { type: 'call', callId: metadata.call_id.toLowerCase() };
  return { type: 'agent', accountId: metadata.account_id, agentId: metadata.agent_id };
}
