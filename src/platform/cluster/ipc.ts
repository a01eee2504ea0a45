import type { HandedRequest } from './socket-handoff.js';

/** What a gateway of a group says to the group's first process. */
export type FromGateway =
  | { readonly type: 'starting'; readonly gatewayId: string }
  | { readonly type: 'ready' }
  | { readonly type: 'failed'; readonly sentence: string }
  /** Comes with the socket of an upgrade that the gateway named can answer. */
  | { readonly type: 'hand-on'; readonly gatewayId: string; readonly request: HandedRequest };

/** What it says to them: answer this upgrade, whose socket comes along. */
export interface ToGateway {
  readonly type: 'take';
  readonly request: HandedRequest;
}
