import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OnnxGraph } from '../../../media/runtime/onnx-graph.js';
import { simplifyTurnModel } from '../../../media/turn-detection/smart-turn-graph.js';
import { modelFolder } from '../../support/harness/process/model-folder.js';

const model = readFileSync(join(modelFolder('smart-turn-v3.2'), 'smart-turn-v3.2-cpu.onnx'));

describe('graph of the turn model', () => {
  const count = (graph: OnnxGraph, wanted: string) =>
    graph.nodes.filter(({ operator }) => operator === wanted).length;
  const before = new OnnxGraph(model);
  const after = new OnnxGraph(simplifyTurnModel(model));

  it('has one operation for GELU and is otherwise unchanged', () => {
    expect(count(after, 'Gelu')).toBe(count(before, 'Erf'));
    for (const gone of ['Erf', 'Div']) expect(count(after, gone)).toBe(0);
    for (const kept of [
      'MatMul',
      'QuantizeLinear',
      'DequantizeLinear',
      'Softmax',
      'Conv',
      'Gemm',
    ]) {
      expect(count(after, kept), kept).toBe(count(before, kept));
    }
  });

  it('exposes the attention of each layer, so that the runtime keeps it in float32', () => {
    const attention = after.nodes.filter(
      ({ operator, inputs: [input] }) =>
        operator === 'Softmax' && after.makerOf(input ?? '')?.operator === 'DequantizeLinear',
    );
    expect(attention.length).toBe(4);
    for (const { outputs } of attention) expect(after.outputs).toContain(outputs[0]);
  });
});
