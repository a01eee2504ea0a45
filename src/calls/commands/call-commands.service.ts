import type { Logger } from 'pino';
import { z } from 'zod';
import type { EndedReason } from '../../../agents-runtime/contract/ended-reason.js';
import type { ChangeNotices } from '../../platform/cluster/change-notices.js';
import type { GatewaysRepository } from '../../platform/cluster/gateways.repository.js';
import { type PeerClient, PeerError } from '../../platform/cluster/peer-client.js';
import type { CallRegistry } from '../session/call-registry.js';
import type { CallsRepository } from '../store/calls.repository.js';
import { type CallCommand, CommandAnswer, execute } from './call-command.js';
import { commandsPath } from './peer-commands.js';

export interface CallCommandServiceParts {
  readonly calls: Pick<CallsRepository, 'endReserved' | 'end' | 'find' | 'findEnded'>;
  readonly gateways: Pick<GatewaysRepository, 'find'>;
  readonly peers: Pick<PeerClient, 'post'>;
  readonly registry: Pick<CallRegistry, 'get' | 'ids'>;
  readonly log: Logger;
  /** Called for a call that was ended before it began, because its telephone may be ringing. */
  readonly onReservedEnded?: (callId: string) => void;
}

const PeerAnswer = z.object({ answer: CommandAnswer });

/** Commands to calls on any gateway. */
export class CallCommandService {
  readonly #parts: CallCommandServiceParts;

  constructor(parts: CallCommandServiceParts) {
    this.#parts = parts;
  }

  /**
   * Sends a command to a call, and waits for the answer at most 5 s if another gateway holds it.
   * @returns undefined if no gateway holds the call
   * @throws PeerError UNREACHABLE
   */
  async send(callId: string, command: CallCommand): Promise<CommandAnswer | undefined> {
    const { registry, calls, gateways, peers } = this.#parts;
    const own = registry.get(callId);
    if (own) return execute(own, command);
    const row = await calls.find(callId);
    if (row?.state !== 'live' || row.gateway_id === null) return undefined;
    const gateway = await gateways.find(row.gateway_id);
    if (!gateway) throw new PeerError('UNREACHABLE', `Gateway ${row.gateway_id} has no address`);
    try {
      const request = { path: commandsPath(callId), body: command };
      return PeerAnswer.parse(await peers.post(gateway, request)).answer;
    } catch (error) {
      if (error instanceof PeerError && error.code === 'NOT_FOUND') return undefined;
      throw error;
    }
  }

  /**
   * Ends a call on any gateway, and resolves when its record is written. Idempotent. If the gateway
   * of the call is unreachable, only the record is written and the slot is freed.
   */
  async end(callId: string, reason: EndedReason): Promise<void> {
    const { calls, log, onReservedEnded } = this.#parts;
    if (await calls.endReserved(callId, reason)) {
      onReservedEnded?.(callId);
      return;
    }
    try {
      if ((await this.send(callId, { type: 'end', reason })) === 'done') return;
    } catch (error) {
      if (!(error instanceof PeerError)) throw error;
      log.warn({ err: error, callId }, 'Ended the call without its gateway, which is unreachable');
    }
    await calls.end(callId, reason);
  }

  /**
   * Hangs up calls here that other gateways ended, when their end is notified.
   * @returns a function that stops this
   */
  watchEndedCalls(changes: ChangeNotices): () => void {
    const { registry, log } = this.#parts;
    return changes.subscribe((topic) => {
      if (topic !== undefined && !registry.get(topic)) return;
      this.hangUpEnded(topic === undefined ? undefined : [topic]).catch((error: unknown) =>
        log.warn({ err: error }, 'Cannot search for calls that other gateways ended'),
      );
    });
  }

  /** Hangs up the calls of the list that other gateways ended. Default: all calls here. */
  async hangUpEnded(callIds: readonly string[] = this.#parts.registry.ids()): Promise<void> {
    const { calls, registry } = this.#parts;
    if (callIds.length === 0) return;
    for (const { call_id, ended_reason } of await calls.findEnded(callIds)) {
      registry.get(call_id)?.call.hangUp(ended_reason ?? 'error_transport');
    }
  }
}
