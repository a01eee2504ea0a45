/** A step that failed. The message is one sentence with instructions. */
export class StepFailure extends Error {
  name = 'StepFailure';

  /** @param {string} message @param {number} [exitCode] never 0 */
  constructor(message, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The sentence for a full disk, which can affect any step; undefined if `text` reports none. */
export function diskFullSentence(text) {
  if (!/ENOSPC|EDQUOT|no space left on device|disk quota exceeded/i.test(text)) return undefined;
  return `The disk is full: free some space for ${process.cwd()} and the cache folder, then run the same command again.`;
}
