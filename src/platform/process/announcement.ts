import { MediaError } from '../../../media/errors.js';
import { StartError } from '../../config/start-error.js';

interface Announcement {
  /** URL of the gateway. */
  readonly url: string;
  /** Path of the file with the first API key. */
  readonly keyFile: string;
  /** The first API key, if this start has created it. */
  readonly firstKey: string | undefined;
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean;
}

/**
 * The lines that a gateway prints when it is ready. The first key is printed once, and only to a
 * terminal: other output usually goes to a log, which more people can read than may use the key.
 */
export function announcementLines(announcement: Announcement): readonly string[] {
  const { url, keyFile, firstKey, isTerminal } = announcement;
  return [
    `Parley is ready: ${url}`,
    firstKey !== undefined && isTerminal
      ? `API key: ${firstKey} (shown once; stored in ${keyFile})`
      : `API key: see ${keyFile}`,
  ];
}

/** One sentence for the terminal about the error that stopped the gateway. */
export function faultSentence(error: unknown): string {
  if (error instanceof StartError || error instanceof MediaError) return error.message;
  const text = error instanceof Error ? error.message : String(error);
  return `Cannot start: ${text.split('\n', 1)[0]}.`;
}
