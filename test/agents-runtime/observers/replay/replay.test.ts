import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Clock } from '../../../../agents-runtime/contract/clock.js';
import type { ToolSpec } from '../../../../agents-runtime/contract/tools.js';
import { diffEffects } from '../../../../agents-runtime/observers/replay/diff.js';
import { diffLines, turnEnds } from '../../../../agents-runtime/observers/replay/effect-listing.js';
import { replay } from '../../../../agents-runtime/observers/replay/replay.js';
import {
  parseReplayFile,
  type ReplayLine,
} from '../../../../agents-runtime/observers/replay/replay-format.js';
import { ReplayRecorder } from '../../../../agents-runtime/observers/replay/replay-recorder.js';
import { Call } from '../../../../agents-runtime/session/call.js';
import type { CallDependencies } from '../../../../agents-runtime/session/call-dependencies.js';
import type { NoiseReduction } from '../../../../media/noise/noise-reduction.js';
import { VirtualClock } from '../../../support/harness/audio/virtual-clock.js';
import {
  CONFIG,
  type HarnessOptions,
  harness,
  sleep,
} from '../../../support/harness/call/call-harness.js';
import { toolCall } from '../../../support/harness/call/scripted-tools.js';
import '../../../support/harness/process/property-seed.js';

const world = fc.record({
  script: fc.array(
    fc.record({
      act: fc.constantFrom('say', 'say', 'cough', 'silence', 'disconnect', 'type', 'dictate'),
      ms: fc.integer({ min: 1, max: 100 }).map((frames) => frames * 20),
    }),
    { minLength: 1, maxLength: 9 },
  ),
  words: fc.integer({ min: 0, max: 3 }),
  modelMs: fc.integer({ min: 0, max: 900 }),
  transcriptMs: fc.integer({ min: 20, max: 900 }),
  probability: fc.constantFrom(0, 0.4, 1),
});

/** A scripted call, and its recorded lines so far. */
function recorded(
  options: HarnessOptions = {},
  change: (parts: CallDependencies) => CallDependencies = (parts) => parts,
) {
  let text = '';
  let hasEnded = false;
  const call = harness({
    // Longer than the code between two sends, so that no response arrives during it.
    networkDelayMs: 10,
    settlesPromises: true,
    ...options,
    begin: (parts) => {
      const changed = change(parts);
      const recorder = new ReplayRecorder(changed, {
        write: (line) => {
          text += `${JSON.stringify(line)}\n`;
        },
        end: () => {
          hasEnded = true;
        },
      });
      return new Call({ ...changed, observers: [recorder] });
    },
  });
  return { call, text: () => text, tape: () => parseReplayFile(text), hasEnded: () => hasEnded };
}

const LOOK_UP: ToolSpec = {
  name: 'look_up',
  description: 'Looks something up.',
  parameters: { type: 'object' },
  mode: 'sync',
  timeoutMs: 5_000,
};

/** Takes 10 ms and reduces the level slightly. */
function quieter(clock: Clock): NoiseReduction {
  return {
    open: ({ onSamples }) => ({
      push(samples) {
        const cleaned = samples.map((sample) => sample * 0.9999);
        clock.after(10, () => onSamples(cleaned));
      },
      close: () => undefined,
    }),
  };
}

describe('recorded call', () => {
  it('replays language changes by detection and by the LLM', async () => {
    const voice = { ...CONFIG.voice, language: 'auto' as const };
    const { call, tape } = recorded({
      config: { voice, userSilenceTimeoutMs: 3_000 },
      languages: ['en', 'de', 'fr'],
      languageOf: (text) => (text.startsWith('wann') ? 'de' : 'en'),
      reply: async function* ({ history, language }) {
        const last = history.at(-1)!;
        if (last.role !== 'tool' && last.text.includes('french')) {
          yield toolCall('switch_language', { language: 'fr' });
        } else yield `This is said in ${language}, all of it.`;
      },
    });
    call.call.connected();
    await call.say('when are you open', 600);
    await call.silence(3_000);
    await call.say('wann haben Sie offen', 600);
    await call.silence(9_000);
    await call.say('and in french please', 600);
    await call.silence(9_000);
    call.call.hangUp('user_hangup');
    await call.clock.run(1_000);
    expect(call.spokenBy.map((said) => said.slice(0, 8))).toContain('fr in fr');
    expect(call.texts('agent')).toContain('Sind Sie noch da?');
    const { recorded: then, replayed } = await replay(tape());
    expect(diffLines(diffEffects(then, replayed))).toEqual([]);
  });

  it('replays identically', async () => {
    const { call, tape, hasEnded } = recorded({ config: { greeting: 'Hello there, caller.' } });
    call.call.connected();
    await call.silence(2_500);
    await call.say('what time is it', 900);
    await call.silence(1_400);
    await call.say('no wait', 600);
    await call.silence(3_000);
    await call.disconnect(700);
    await call.silence(2_000);
    call.call.hangUp('user_hangup');
    await call.silence(100);
    expect(hasEnded()).toBe(true);
    const { recorded: then, replayed, answers } = await replay(tape());
    expect(replayed).toEqual(then);
    expect(answers).toMatchObject({ moved: 0, estimated: 0 });
    expect(call.states()).toContain('speaking');
  });

  it('replays concurrent events identically, however long the first one took', async () => {
    let lateMs = 0;
    const { call, tape } = recorded({}, (parts) => {
      const { clock } = parts;
      const late: Clock = {
        now: () => clock.now() + lateMs,
        after: (ms, act) => clock.after(ms, act),
      };
      return { ...parts, clock: late };
    });
    call.call.connected();
    await call.silence(1_000);
    call.call.typed('what time is it');
    // The effects of the text are not complete when the next frame arrives.
    lateMs += 30;
    call.call.audio(new Int16Array(320));
    await call.silence(3_000);
    call.call.typed('bye');
    lateMs += 30;
    call.call.hangUp('user_hangup');
    await call.silence(200);
    const { recorded: then, replayed, answers } = await replay(tape());
    expect(then.filter(({ type }) => type === 'turn').length).toBeGreaterThanOrEqual(3);
    expect(diffLines(diffEffects(then, replayed))).toEqual([]);
    expect(answers).toMatchObject({ moved: 0, estimated: 0 });
  });

  it('on a transport without pause replays its clears identically', async () => {
    const { call, tape } = recorded({ canPause: false, voiceMs: 1_500 });
    call.call.connected();
    await call.say('what time is it', 600);
    await call.silence(2_000);
    expect(call.states()).toContain('speaking');
    await call.cough(200);
    await call.silence(5_000);
    call.call.hangUp('user_hangup');
    await call.silence(100);
    expect(call.control()).toEqual(['clear']);
    const { recorded: then, replayed } = await replay(tape());
    expect(replayed).toEqual(then);
  });

  it('replays any script identically', async () => {
    await fc.assert(
      fc.asyncProperty(world, async ({ script, words, modelMs, transcriptMs, probability }) => {
        const { call, tape } = recorded({
          config: { minInterruptionWords: words, greeting: 'Hello and welcome.' },
          transcriptMs,
          completeness: () => probability,
          reply: async function* ({ history }) {
            await sleep(call.clock, modelMs);
            yield `Here is a longer answer to what you said: ${history.at(-1)?.text}.`;
          },
        });
        call.call.connected();
        await call.silence(20);
        for (const { act, ms } of script) {
          if (act === 'say') await call.say('and so on', ms);
          else if (act === 'type') call.call.typed('something typed');
          else if (act === 'dictate') call.call.say('something dictated');
          else await call[act](ms);
          await call.silence(20);
        }
        const { recorded: then, replayed, answers } = await replay(tape());
        expect(diffEffects(then, replayed)).toEqual([]); // except for rounding
        expect(answers).toMatchObject({ moved: 0, estimated: 0 });
      }),
      { numRuns: 25 },
    );
  }, 120_000);

  it('replays tools, fallbacks and noise reduction identically', async () => {
    const { call, tape } = recorded(
      {
        reply: async function* ({ history }) {
          await sleep(call.clock, 50);
          if (history.at(-1)?.role === 'tool') throw new Error('the model died');
          yield { type: 'tool-call', id: '1', name: 'look_up', arguments: '{"what":"time"}' };
        },
      },
      (parts) => ({
        ...parts,
        config: { ...parts.config, autoNoiseReduction: true },
        tools: {
          specs: [LOOK_UP],
          problemWith: async () => undefined,
          call: async () => {
            await sleep(call.clock, 1_700);
            return { text: 'It is noon.' };
          },
        },
        fallbackModels: [
          {
            id: 'spare',
            async *generate({ history }) {
              await sleep(call.clock, 70);
              yield `Well. ${history.at(-1)?.text}`;
            },
          },
        ],
        noiseReduction: quieter(parts.clock),
      }),
    );
    call.call.connected();
    await call.say('what time is it', 900);
    await call.silence(9_000);
    call.call.hangUp('user_hangup');
    await call.silence(100);
    expect(call.texts('agent').join(' ')).toContain('It is noon.');
    const { recorded: then, replayed, answers } = await replay(tape());
    expect(replayed).toEqual(then);
    expect(answers).toMatchObject({ moved: 0, estimated: 0 });
  });

  it('with late timers replays within the tolerance', async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const clock = new VirtualClock();
      let state = seed;
      const lateMs = () => {
        state = (state * 48_271) % 2_147_483_647;
        return 11 * (state / 2_147_483_647) ** 4;
      };
      const { call, tape } = recorded({
        clock,
        engineClock: {
          now: () => clock.now(),
          after: (ms, act) => clock.after(ms + lateMs(), act),
        },
        config: { greeting: 'Hello there, caller.' },
      });
      call.call.connected();
      await call.silence(2_500);
      await call.say('what time is it', 900);
      await call.silence(1_400);
      await call.say('no wait', 600);
      await call.silence(3_000);
      await call.disconnect(700);
      await call.silence(2_000);
      call.call.hangUp('user_hangup');
      await call.silence(100);
      const { differences } = await replay(tape());
      expect(diffLines(differences), `seed ${seed}`).toEqual([]);
    }
  });

  it('replays up to the end of a truncated file', async () => {
    const { call, text } = recorded();
    call.call.connected();
    await call.say('what time is it', 900);
    await call.silence(2_000);
    const cut = text().slice(0, text().length - 200);
    expect(cut.endsWith('\n')).toBe(false);
    const { recorded: then, replayed } = await replay(parseReplayFile(cut));
    expect(then.length).toBeGreaterThan(5);
    expect(replayed.slice(0, then.length)).toEqual(then);
  });

  it('contains no credentials', async () => {
    const secret = { type: 'bearer_token', token: 'hidden-token', headers: {} } as const;
    const { text } = recorded({
      config: {
        mcpServers: [
          {
            name: 'm',
            description: '',
            url: 'https://tools.example/mcp',
            transport: 'streamable-http',
            authentication: secret,
          },
        ],
      },
    });
    expect(text()).toContain('tools.example');
    expect(text()).not.toContain('hidden-token');
  });
});

describe('replay with other settings', () => {
  it('ends turns by those settings', async () => {
    const { call, tape } = recorded({ completeness: () => 0 });
    call.call.connected();
    await call.say('I called because', 900);
    await call.silence(6_000);
    call.call.hangUp('user_hangup');
    await call.silence(100);
    const changes = { maxEndpointingMs: 1_000 };
    const { recorded: then, replayed } = await replay(tape(), { changes });
    const [before] = turnEnds(then);
    const [after] = turnEnds(replayed);
    expect(before!.committedMs - before!.speechEndMs).toBeCloseTo(3_000, -2);
    expect(after!.committedMs - after!.speechEndMs).toBeCloseTo(1_000, -2);
    expect(after!.text).toBe('I called because');
    // The answer also comes earlier and is played to the end.
    const states = replayed.flatMap((happening) =>
      happening.type === 'event' && happening.event.type === 'state' ? [happening.event.state] : [],
    );
    expect(states).toEqual(['listening', 'thinking', 'speaking', 'listening']);
  });
});

describe('replay file', () => {
  it('of an unknown version is refused with its version', async () => {
    const { text } = recorded();
    const old = text().replace('"version":2', '"version":1');
    expect(() => parseReplayFile(old)).toThrow(/has version 1; this release replays version 2/);
    expect(() => parseReplayFile('{"version":1}\n')).toThrow('This is no replay file');
  });
});

describe('turn events in another order than recorded', () => {
  /** A call whose recorded times are late, as on a busy machine. */
  async function busyCall(change: (line: ReplayLine) => ReplayLine) {
    const { call, tape } = recorded();
    call.call.connected();
    await call.say('what time is it', 900);
    await call.silence(3_000);
    call.call.hangUp('user_hangup');
    await call.silence(100);
    const { header, lines } = tape();
    return replay({ header, lines: swapSpeechStopped(lines.map(change)) });
  }

  /** Swaps the end of speech with the preceding turn event. */
  function swapSpeechStopped(lines: readonly ReplayLine[]): readonly ReplayLine[] {
    const events = lines.flatMap((line, i) => (line.type === 'turn-event' ? [i] : []));
    const isStop = (line: ReplayLine) =>
      line.type === 'turn-event' && line.event.type === 'speech-stopped';
    const at = events.findIndex((i) => isStop(lines[i]!));
    const [before, stop] = [events[at - 1]!, events[at]!];
    const stopped = { ...lines[stop]!, t: lines[before]!.t };
    const others = lines.filter((_, i) => i !== stop);
    return others.toSpliced(before, 0, stopped);
  }

  const isTimer = (line: ReplayLine) => line.type === 'turn-event' && line.event.type === 'timer';

  it('are replayed through the reducer and lead to the same decisions', async () => {
    const { isSameOrder, differences } = await busyCall((line) => line);
    expect(isSameOrder).toBe(false);
    expect(diffLines(differences)).toEqual([]);
  });

  it('differ if a timer was not due', async () => {
    const { isSameOrder, differences } = await busyCall((line) =>
      isTimer(line) ? { ...line, t: line.t - 300 } : line,
    );
    expect(isSameOrder).toBe(false);
    expect(diffLines(differences).join('\n')).toMatch(/turn {4}timer commit/);
  });
});

describe('difference', () => {
  it('is printed with both sides', async () => {
    const { call, tape } = recorded();
    call.call.connected();
    await call.say('what time is it', 900);
    await call.silence(3_000);
    const { header, lines } = tape();
    const judged = lines.map((line) =>
      line.type === 'answer' && line.value === 1 ? { ...line, value: 0 } : line,
    );
    const { recorded: then, replayed } = await replay({ header, lines: judged });
    const printedLines = diffLines(diffEffects(then, replayed));
    expect(printedLines.some((line) => /^- .*state {3}thinking/.test(line))).toBe(true);
  });
});
