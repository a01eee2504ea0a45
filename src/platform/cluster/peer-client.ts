import { type IncomingMessage, request } from 'node:http';
import type { LiveEvent } from '../../calls/monitoring/live-event.js';
import type { Gateway } from './gateways.repository.js';
import type { PeerRequest, PeerTokens } from './peer-tokens.js';

/** The other side says every 2 s that it lives. */
const SILENT_MS = 6_000;
/** An event has at most some thousand characters; a line that is longer is none. */
const MAX_LINE_LENGTH = 1024 * 1024;

/** Follows calls that other gateways hold. */
export class PeerClient {
  readonly #tokens: PeerTokens;

  constructor(tokens: PeerTokens) {
    this.#tokens = tokens;
  }

  /**
   * Opens a stream of another gateway; it ends when the signal fires.
   * @throws Error when that gateway cannot be reached, or does not hold what is asked for.
   */
  async open(gateway: Gateway, asked: PeerRequest, signal: AbortSignal): Promise<IncomingMessage> {
    const token = await this.#tokens.issue(gateway.id, asked);
    return new Promise((resolve, reject) => {
      const asking = request(`http://${gateway.address}/`, {
        agent: false,
        signal,
        timeout: SILENT_MS,
        headers: { authorization: `Bearer ${token}` },
      });
      asking.on('timeout', () => asking.destroy(new Error('The other gateway is silent')));
      asking.on('error', reject);
      asking.on('response', (response) => {
        if (response.statusCode === 200) {
          resolve(response);
          return;
        }
        response.resume();
        reject(new Error(`The other gateway answered ${response.statusCode}`));
      });
      asking.end();
    });
  }

  /**
   * Tells what another gateway tells, until it ends the stream or the signal fires.
   * @throws Error when the link cannot be made or breaks.
   */
  async follow(
    gateway: Gateway,
    asked: PeerRequest,
    tell: (event: LiveEvent) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const response = await this.open(gateway, asked, signal);
    let rest = '';
    response.setEncoding('utf8');
    for await (const chunk of response) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > MAX_LINE_LENGTH)
        throw new Error('The other gateway sends what is no event');
      for (const line of lines) {
        // It has our secret and so is one of us.
        if (line !== '') tell(JSON.parse(line) as LiveEvent);
      }
    }
  }
}
