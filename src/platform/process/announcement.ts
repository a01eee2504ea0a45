import { MediaError } from '../../../media/errors.js';
import { StartError } from '../../config/start-error.js';

interface Announcement {
  /** Where the gateway is reached. */
  readonly url: string;
  /** The file that keeps the first API key. */
  readonly keyFile: string;
  /** The first API key, at the start that made it. */
  readonly firstKey: string | undefined;
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean;
}

/**
 * The lines that a gateway prints when it is ready. The first key is shown once, and on a terminal
 * only: other output usually ends in a log, which more people can read than may use the key.
 */
export function announcementLines(announcement: Announcement): readonly string[] {
  const { url, keyFile, firstKey, isTerminal } = announcement;
  return [
    `Parley is ready: ${url}`,
    firstKey !== undefined && isTerminal
      ? `API key: ${firstKey} (shown this once, and kept in ${keyFile})`
      : `API key: see ${keyFile}`,
  ];
}

/** One sentence for the terminal about the fault that stopped the gateway. */
export function faultSentence(error: unknown): string {
  if (error instanceof StartError || error instanceof MediaError) return error.message;
  const text = error instanceof Error ? error.message : String(error);
  return `Cannot start: ${text.split('\n', 1)[0]}.`;
}
