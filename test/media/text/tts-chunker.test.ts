import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Dictionary } from '../../../media/text/dictionary/dictionary.js';
import { TtsChunker } from '../../../media/text/tts-chunker.js';
import '../../support/harness/process/property-seed.js';

function chunksOf(tokens: readonly string[]) {
  const chunker = new TtsChunker({ language: 'en', minLength: 20 });
  return [...tokens.flatMap((token) => chunker.push(token)), ...chunker.flush()];
}

const REPLY =
  '**Sure!** 🎉 Here is how:\n\n```sh\nnpm start. Now.\n```\n- Open https://example.com/a.b\n- Press *OK*.\n\n🎉';

it('Markdown with code is split into speakable chunks', () => {
  expect(chunksOf([REPLY]).map(({ spoken }) => spoken.text)).toEqual([
    'Sure!',
    'Here is how: Open example dot com slash a dot b',
    'Press OK.',
  ]);
});

it('chunks are the same in any tokenisation', () => {
  const whole = chunksOf([REPLY]).map(({ written, spoken }) => [written, spoken.text]);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1 }), (lengths) => {
      const tokens: string[] = [];
      for (let at = 0, i = 0; at < REPLY.length; i++) {
        const length = lengths[i % lengths.length] ?? 1;
        tokens.push(REPLY.slice(at, at + length));
        at += length;
      }
      expect(chunksOf(tokens).map(({ written, spoken }) => [written, spoken.text])).toEqual(whole);
    }),
  );
});

it('an emoji gives no chunk', () => {
  expect(chunksOf(['🎉'])).toEqual([]);
});

it('dictionary replacements keep the mapping to the written text', () => {
  const rules = [
    { id: '1', word: 'Nguyen', replacement: 'Win', ipa: 'nwɪn', caseSensitive: true },
    { id: '2', word: 'k8s', replacement: 'kubernetes cluster', ipa: null, caseSensitive: false },
  ];
  const dictionary = new Dictionary(rules);
  const chunker = new TtsChunker({ language: 'en', minLength: 20, dictionary });
  const reply = 'Ask **Nguyen** 🎉 about the K8S at https://example.com today.';
  const [chunk] = [...chunker.push(reply), ...chunker.flush()];
  const { written, spoken, pronounced } = chunk!;
  expect(written).toBe(reply);
  expect(spoken.text).toBe('Ask Win about the kubernetes cluster at example dot com today.');
  expect(pronounced).toEqual([{ textStart: 4, textEnd: 7, ipa: 'nwɪn' }]);
  const writtenFor = (word: string) => {
    const start = spoken.text.indexOf(word);
    const { textStart, textEnd } = spoken.origin(start, start + word.length);
    return written.slice(textStart, textEnd);
  };
  expect(['Win', 'kubernetes', 'cluster', 'today'].map(writtenFor)).toEqual([
    'Nguyen',
    'K8S',
    'K8S',
    'today',
  ]);
});
