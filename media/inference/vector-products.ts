import { type InferenceSession, Tensor } from 'onnxruntime-node';
import { onnxInput, onnxNode, onnxOutput, withGraph } from './onnx-graph.js';
import { openSession } from './sessions.js';

/** A model of nothing: IR 8, an empty graph, opset 17. Source: onnx.proto, ModelProto. */
const EMPTY_MODEL = Uint8Array.of(0x08, 8, 0x3a, 0, 0x42, 2, 0x10, 17);

/**
 * The dot products of many vectors with one, by the runtime's kernels, which take several values at
 * once as no loop of JavaScript does: a sixth of the time. For a worker's thread: it is kept busy.
 */
export class VectorProducts {
  readonly #session: InferenceSession;

  private constructor(session: InferenceSession) {
    this.#session = session;
  }

  static async open(): Promise<VectorProducts> {
    const model = withGraph(EMPTY_MODEL, [
      ...['vectors', 'query'].map(onnxInput),
      onnxOutput('products'),
      onnxNode('MatMul', ['vectors', 'query'], ['products']),
    ]);
    return new VectorProducts(await openSession(model));
  }

  /** @param vectors one after the other, each as long as `query` @returns a product for each */
  async of(vectors: Float32Array, query: Float32Array): Promise<Float32Array> {
    if (vectors.length === 0) return new Float32Array(0);
    const { length } = query;
    const { products } = await this.#session.run({
      vectors: new Tensor('float32', vectors, [vectors.length / length, length]),
      query: new Tensor('float32', query, [length, 1]),
    });
    return products!.data as Float32Array;
  }
}
