import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { diffEffects } from '../../../../agents-runtime/observers/replay/diff.js';
import { diffLines } from '../../../../agents-runtime/observers/replay/effect-listing.js';
import { replay } from '../../../../agents-runtime/observers/replay/replay.js';
import { diffTurns } from '../../../../agents-runtime/observers/replay/turn-replay.js';
import { REPLAY_SUFFIX } from '../../../../src/calls/recordings/replay-files.js';
import { readReplayFile } from '../../../../tools/replay/read-replay-file.js';
import { effectsOf, SCENES } from '../../../support/programs/replay-scenes.js';

const FOLDER = 'test/fixtures/replays';
const fileOf = (name: string) => join(FOLDER, `${name}${REPLAY_SUFFIX}`);

describe('recorded call library', () => {
  it('has one file per scene and at most 3 MB', () => {
    const files = readdirSync(FOLDER).sort();
    expect(files).toEqual(SCENES.map(({ name }) => `${name}${REPLAY_SUFFIX}`).sort());
    const bytes = files.reduce((sum, file) => sum + statSync(join(FOLDER, file)).size, 0);
    expect(bytes).toBeLessThan(3_000_000);
  });
});

// After an intended change of turn-taking, check the differences and run `npm run record-replays`.
describe.each(SCENES)('recorded call $name', ({ name, expected }) => {
  it('replays without differences and contains the expected effects', async () => {
    const file = await readReplayFile(fileOf(name));
    const { recorded, replayed, answers, isSameOrder } = await replay(file);
    expect(diffLines(diffEffects(recorded, replayed))).toEqual([]);
    expect(isSameOrder).toBe(true);
    const settings = { ...file.header.config, language: 'en' };
    expect(diffLines(diffTurns(settings, file.lines))).toEqual([]);
    expect(answers).toMatchObject({ moved: 0, estimated: 0 });
    expect(effectsOf(replayed)).toEqual(expected);
  });
});
