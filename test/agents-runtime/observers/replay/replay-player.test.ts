import { describe, expect, it } from 'vitest';
import type {
  ReplayFile,
  ReplayLine,
} from '../../../../agents-runtime/observers/replay/replay-format.js';
import { ReplayPlayer } from '../../../../agents-runtime/observers/replay/replay-player.js';

const UNHEARD = { vad: () => undefined, cleaned: () => undefined, notCleaned: () => undefined };

/** When what was set fires; the tape has one timer of 20 ms, which came 10 ms late. */
async function firingsOf(set: (player: ReplayPlayer, fired: () => void) => void) {
  const late: ReplayLine = { t: 30, type: 'timer', askedAt: 0, waitMs: 20 };
  const end: ReplayLine = { t: 100, type: 'timer', askedAt: 90, waitMs: 10 };
  const player = new ReplayPlayer({ lines: [late, end] } as unknown as ReplayFile);
  const firings: number[] = [];
  set(player, () => firings.push(player.now()));
  await player.play({ ...UNHEARD, input: () => undefined } as Parameters<ReplayPlayer['play']>[0]);
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
