import type { Config } from '../../config/config.js';

/** Address and credentials of the LiveKit server. */
export interface LiveKitAccess {
  /** `ws(s)://host[:port]`, for clients and agents. */
  readonly url: string;
  /** The same with `http(s)`, for its API. */
  readonly apiUrl: string;
  readonly apiKey: string;
  readonly apiSecret: string;
}

export type LiveKitSettings = Pick<
  Config,
  'LIVEKIT_URL' | 'LIVEKIT_API_KEY' | 'LIVEKIT_API_SECRET'
>;

/** Undefined while LiveKit is not configured. */
export function liveKitAccess(settings: LiveKitSettings): LiveKitAccess | undefined {
  const { LIVEKIT_URL: url, LIVEKIT_API_KEY: apiKey, LIVEKIT_API_SECRET: apiSecret } = settings;
  if (url === undefined || apiKey === undefined || apiSecret === undefined) return undefined;
  return { url, apiUrl: url.replace(/^ws/, 'http'), apiKey, apiSecret };
}
