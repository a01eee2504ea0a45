import { z } from 'zod';
import { ENDED_REASONS } from '../../../agents-runtime/contract/ended-reason.js';
import type { LiveCall } from '../session/call-registry.js';

/** A command to a running call, also as one gateway sends it to another. */
export const CallCommand = z.discriminatedUnion('type', [
  z.object({ type: z.literal('end'), reason: z.enum(ENDED_REASONS) }),
  /** The agent says the text next. */
  z.object({ type: z.literal('say'), text: z.string() }),
  /** Sends DTMF tones to the other side of a telephone call. */
  z.object({ type: z.literal('keys'), keys: z.string() }),
  /** Transfers the caller of a telephone call to a number (E.164). */
  z.object({ type: z.literal('transfer'), target: z.string() }),
]);
export type CallCommand = z.infer<typeof CallCommand>;

/**
 * The result of a command.
 * `done`: carried out, or the text is queued. `ending`: the call is over or about to end. `busy`: too
 * many texts are queued. `unable`: the transport cannot do this. `refused`: the carrier refused.
 */
export const CommandAnswer = z.enum(['done', 'ending', 'busy', 'unable', 'refused']);
export type CommandAnswer = z.infer<typeof CommandAnswer>;

/** Carries out a command. The answer to `end` is sent when the record of the call is written. */
export async function execute(
  { call, end, phone }: LiveCall,
  command: CallCommand,
): Promise<CommandAnswer> {
  switch (command.type) {
    case 'end':
      await end(command.reason);
      return 'done';
    case 'say':
      return call.say(command.text) ?? 'done';
    case 'keys':
      if (!phone) return 'unable';
      return phone.sendKeys(command.keys) ? 'done' : 'ending';
    case 'transfer':
      return phone?.canTransfer ? phone.transfer(command.target) : 'unable';
  }
}
