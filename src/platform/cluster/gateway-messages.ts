/** Messages from a gateway of a cluster to the primary process. */
export type GatewayMessage =
  | { readonly type: 'starting'; readonly gatewayId: string }
  | { readonly type: 'ready' }
  | { readonly type: 'failed'; readonly sentence: string };
