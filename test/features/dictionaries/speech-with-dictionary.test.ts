import { beforeEach, describe, expect, it } from 'vitest';
import { CompiledDictionaries } from '../../../src/features/dictionaries/compiled-dictionaries.js';
import { DICTIONARIES, withDictionaryPlane } from '../../support/harness/app/dictionary-app.js';

const plane = withDictionaryPlane();
beforeEach(() => {
  plane.voice.utterances.length = 0;
});

async function setUp(rules: readonly unknown[]) {
  const ask = await plane.asNewAccount();
  const { body } = await ask('POST', `${DICTIONARIES}/add-from-rules`, { name: 'x', rules });
  const speak = (text: string, more: object = {}, path = '/tts/speech/stream') =>
    ask('POST', path, { text, dictionary_id: body.id, ...more });
  return { ask, id: body.id as string, path: `${DICTIONARIES}/${body.id}`, speak };
}

const said = () => plane.voice.utterances.map(({ text }) => text);

describe('speech with a dictionary', () => {
  it('contains the replacements, applied before numbers and abbreviations are normalised', async () => {
    const { speak } = await setUp([
      { word: 'Abt.', replacement: 'department' },
      { word: '2nd', replacement: 'second' },
      { word: 'BX', replacement: '[SPELL:BX]' },
    ]);
    for (const path of ['/tts/speech/stream', '/tts/speech']) {
      const { status } = await speak(
        'Go to Abt. Two, 2nd floor. Ask BX, not [SPELL:BX].',
        {},
        path,
      );
      expect(status).toBe(200);
    }
    const sentences = ['Go to department Two, second floor.', 'Ask [SPELL:BX], not [SPELL:BX].'];
    expect(said()).toEqual([...sentences, ...sentences]);
  });

  it('passes transcriptions to the voice, with positions in each sentence', async () => {
    const { speak } = await setUp([
      { word: 'Nguyen', replacement: 'Win', ipa: 'nwɪn' },
      { word: 'Mr', replacement: 'mister' },
    ]);
    await speak('Hello Mr Nguyen. Nguyen is here.');
    expect(plane.voice.utterances.map(({ text, pronounced }) => [text, pronounced])).toEqual([
      ['Hello mister Win.', [{ textStart: 13, textEnd: 16, ipa: 'nwɪn' }]],
      ['Win is here.', [{ textStart: 0, textEnd: 3, ipa: 'nwɪn' }]],
    ]);
  });

  it('uses the current version, or the pinned one', async () => {
    const { ask, path, speak } = await setUp([{ word: 'a', replacement: 'one' }]);
    await ask('POST', `${path}/set-rules`, { rules: [{ word: 'a', replacement: 'two' }] });
    await speak('a');
    await speak('a', { dictionary_version: 1 });
    await speak('a', { dictionary_version: 2 });
    await speak('a', { dictionary_id: null, dictionary_version: 7 });
    expect(said()).toEqual(['two', 'one', 'two', 'a']);
  });

  it('is rejected for an unknown dictionary or version', async () => {
    const { ask, id, path, speak } = await setUp([]);
    const otherAccount = await plane.asNewAccount();
    for (const [answer, code] of [
      [await speak('a', { dictionary_version: 2 }), 'DICTIONARY_VERSION_NOT_FOUND'],
      [await speak('a', { dictionary_version: 1e15 }), 'DICTIONARY_VERSION_NOT_FOUND'],
      [await speak('a', { dictionary_id: 'none' }), 'DICTIONARY_NOT_FOUND'],
      [await speak('a', { dictionary_id: '' }), 'DICTIONARY_NOT_FOUND'],
      [
        await otherAccount('POST', '/tts/speech', { text: 'a', dictionary_id: id }),
        'DICTIONARY_NOT_FOUND',
      ],
    ] as const) {
      expect([answer.status, answer.body.code]).toEqual([404, code]);
    }
    expect((await speak('a')).status).toBe(200);
    await ask('DELETE', path);
    expect((await speak('a')).body.code).toBe('DICTIONARY_NOT_FOUND');
    expect(said()).toEqual(['a']);
  });

  it('has a maximum length after replacements', async () => {
    const { speak } = await setUp([{ word: 'a', replacement: 'b'.repeat(500) }]);
    const { status, body } = await speak('a '.repeat(2_000));
    expect([status, body.code]).toEqual([400, 'TEXT_TOO_LONG']);
  });

  it.each(['[SPELL:', '[SPELL:AB', 'x]', '\u0301', '$1 $& \\', '😀', ' '])(
    'contains the replacement %j like any other text',
    async (replacement) => {
      const { speak } = await setUp([{ word: 'it', replacement, ipa: '' }]);
      const { status } = await speak('Say it [SPELL:OK] and it.');
      expect(status).toBe(200);
      expect(said()[0]).toBe(`Say ${replacement} [SPELL:OK] and ${replacement}.`);
    },
  );
});

describe('compiled dictionaries', () => {
  it('are loaded once per version, and evicted when many others are used', async () => {
    let reads = 0;
    const summary = (id: string) => ({ id, currentVersion: 3 }) as never;
    const compiled = new CompiledDictionaries({
      findSummary: async (_, id) => summary(id),
      findRules: async () => {
        reads++;
        return [];
      },
    });
    const [first, second] = await Promise.all([
      compiled.find('a', 'x', null),
      compiled.find('a', 'x', 3),
    ]);
    expect([first === second, reads]).toEqual([true, 1]);
    for (let i = 0; i < 63; i++) await compiled.find('a', `${i}`, 1);
    await compiled.find('a', 'x', 3);
    expect(reads).toBe(64);
    for (let i = 0; i < 64; i++) await compiled.find('a', `${i}`, 2);
    await compiled.find('a', 'x', 3);
    expect(reads).toBe(64 + 64 + 1);
  });

  it('are loaded again after a failure', async () => {
    let isAway = true;
    const compiled = new CompiledDictionaries({
      findSummary: async (_, id) => ({ id, currentVersion: 1 }) as never,
      findRules: async () => {
        if (isAway) throw new Error('away');
        return [];
      },
    });
    await expect(compiled.find('a', 'x', 1)).rejects.toThrow('away');
    isAway = false;
    expect(await compiled.find('a', 'x', 1)).toBeDefined();
  });
});
