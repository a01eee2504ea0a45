import { describe, expect, it } from 'vitest';
import type { Tape, TapeLine } from '../../../agents-runtime/replay/tape.js';
import { TapePlayer } from '../../../agents-runtime/replay/tape-player.js';

const UNHEARD = { vad: () => undefined, cleaned: () => undefined, notCleaned: () => undefined };

/** When what was set fires; the tape has one timer of 20 ms, which came 10 ms late. */
async function firingsOf(set: (player: TapePlayer, fired: () => void) => void) {
  const late: TapeLine = { t: 30, type: 'timer', askedAt: 0, waitMs: 20 };
  const end: TapeLine = { t: 100, type: 'timer', askedAt: 90, waitMs: 10 };
  const player = new TapePlayer({ lines: [late, end] } as unknown as Tape);
  const firings: number[] = [];
  set(player, () => firings.push(player.now()));
  await player.play({ ...UNHEARD, input: () => undefined } as Parameters<TapePlayer['play']>[0]);
  return firings;
}

describe('a timer in a replay', () => {
  it('fires as late as it did', async () => {
    expect(await firingsOf((player, fired) => void player.after(20, fired))).toEqual([30]);
  });

  it('does so, too, where another like it was stopped before', async () => {
    const firings = await firingsOf((player, fired) => {
      player.after(20, fired).cancel();
      player.after(20, fired);
    });
    expect(firings).toEqual([30]);
  });
});
