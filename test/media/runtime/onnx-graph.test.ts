import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { onnxBytes } from '../../../media/runtime/onnx-encode.js';
import { OnnxGraph, withUnsignedBytes } from '../../../media/runtime/onnx-graph.js';
import { delimited, joinBytes, numeric, readFields } from '../../../media/runtime/protobuf.js';
import { splitHibariGraph } from '../../../media/tts/hibari/hibari-graph-split.js';
import { ENGLISH_VOICE } from '../../support/harness/audio/english-front-end.js';

const model = readFileSync(join(ENGLISH_VOICE, 'hibari.onnx'));

describe('protobuf message', () => {
  it('is split into its original fields, of every kind and length', () => {
    const long = new Uint8Array(300).fill(7);
    const parts = [
      numeric(1, 5_000_000_000),
      delimited(2, long),
      Uint8Array.of((3 << 3) | 5, 1, 2, 3, 4),
      Uint8Array.of((4 << 3) | 1, 1, 2, 3, 4, 5, 6, 7, 8),
      delimited(200, new Uint8Array(0)),
    ];
    const fields = readFields(joinBytes(parts));
    expect(fields.map((field) => field.number)).toEqual([1, 2, 3, 4, 200]);
    expect(fields.map((field) => [...field.bytes])).toEqual(parts.map((part) => [...part]));
    expect(fields[1]?.content).toEqual(long);
  });

  it.each([
    ['truncated', [0x12, 0x05, 1, 2]],
    ['of an unknown kind', [0x0b]],
    ['with an endless number', Array(12).fill(0xff)],
  ])('is rejected: %s', (_, bytes) => {
    expect(() => readFields(Uint8Array.from(bytes))).toThrow(
      expect.objectContaining({ code: 'MODEL_CORRUPT' }),
    );
  });
});

describe('graph of the English voice', () => {
  const graph = new OnnxGraph(model);

  it('is split where the decoder needs only the features of its frames', () => {
    const seams = splitHibariGraph(graph);
    expect(graph.isDeterminedBy([seams.spectra], [seams.features])).toBe(true);
    expect(graph.isDeterminedBy([seams.spectra], [])).toBe(false);
    expect(graph.isDeterminedBy([seams.durations], [seams.features])).toBe(false);
  });

  it('gives parts with the requested outputs and without unneeded nodes', () => {
    const { features, spectra, durations } = splitHibariGraph(graph);
    const decoder = new OnnxGraph(graph.part([spectra], [features]));
    const encoder = new OnnxGraph(graph.part([features, durations, 'f0']));
    expect(decoder.isDeterminedBy([spectra], [])).toBe(false);
    expect(decoder.makerOf('f0')).toBeUndefined();
    expect(encoder.makerOf(spectra)).toBeUndefined();
    expect(decoder.nodes.length + encoder.nodes.length).toBeLessThan(graph.nodes.length + 50);
  });

  it('is rejected if it is invalid', () => {
    expect(() => new OnnxGraph(new Uint8Array(0))).toThrow(
      expect.objectContaining({ code: 'MODEL_CORRUPT' }),
    );
    const other = new OnnxGraph(graph.part(['f0']));
    expect(() => splitHibariGraph(other)).toThrow(
      expect.objectContaining({ code: 'MODEL_CORRUPT' }),
    );
  });
});

describe('signed bytes of a model', () => {
  const name = (text: string) => delimited(8, new TextEncoder().encode(text));
  const modelOf = (...constants: Uint8Array[]) => delimited(7, joinBytes(constants));

  it('become unsigned by adding 128, in any storage format', () => {
    const packed = Uint8Array.of(5, 0xfd, ...Array(8).fill(0xff), 1, 0);
    const stored = delimited(5, joinBytes([numeric(2, 3), delimited(5, packed), name('packed')]));
    const signed = modelOf(onnxBytes('raw', [3], Int8Array.of(-128, 0, 127)), stored);
    const unsigned = modelOf(
      onnxBytes('raw', [3], Uint8Array.of(0, 128, 255)),
      delimited(
        5,
        joinBytes([name('packed'), numeric(2, 2), delimited(9, Uint8Array.of(133, 125, 128))]),
      ),
    );
    const constants = (model: Uint8Array) =>
      readFields(readFields(model)[0]!.content).map(({ content }) =>
        readFields(content)
          .map(({ number, bytes }) => [number, ...bytes])
          .sort((one, other) => one[0]! - other[0]!),
      );
    const converted = withUnsignedBytes(signed, new Set(['raw', 'packed']));
    expect(constants(converted)).toEqual(constants(unsigned));
  });

  it('stay unchanged under other names, or if they are unsigned', () => {
    const other = modelOf(onnxBytes('other', [1], Int8Array.of(1)));
    expect(withUnsignedBytes(other, new Set(['raw']))).toEqual(other);
    const unsigned = modelOf(onnxBytes('raw', [1], Uint8Array.of(1)));
    expect(withUnsignedBytes(unsigned, new Set(['raw']))).toEqual(unsigned);
  });
});
