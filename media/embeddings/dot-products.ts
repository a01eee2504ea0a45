import { type InferenceSession, Tensor } from 'onnxruntime-node';
import { onnxInput, onnxNode, onnxOutput, withGraph } from '../runtime/onnx-graph.js';
import { openSession } from '../runtime/onnx-session.js';

/** A model of nothing: IR 8, an empty graph, opset 17. Source: onnx.proto, ModelProto. */
const EMPTY_MODEL = Uint8Array.of(0x08, 8, 0x3a, 0, 0x42, 2, 0x10, 17);

/**
 * The dot products of many vectors with one, by the runtime's kernels, which take several values at
 * once as no loop of JavaScript does: a twelfth of the time. For a worker's thread: it is kept busy.
 */
export class DotProducts {
  readonly #session: InferenceSession;

  private constructor(session: InferenceSession) {
    this.#session = session;
  }

  static async open(): Promise<DotProducts> {
    const model = withGraph(EMPTY_MODEL, [
      ...['query', 'columns'].map(onnxInput),
      onnxOutput('products'),
      onnxNode('MatMul', ['query', 'columns'], ['products']),
    ]);
    return new DotProducts(await openSession(model));
  }

  /**
   * @param columns the first value of each vector, then the second of each, and so on: the kernels are
   * twice as fast as with whole vectors one after the other
   * @param query as long as each vector
   * @returns a product for each
   */
  async of(columns: Float32Array, query: Float32Array): Promise<Float32Array> {
    const { length } = query;
    const { products } = await this.#session.run({
      query: new Tensor('float32', query, [1, length]),
      columns: new Tensor('float32', columns, [length, columns.length / length]),
    });
    return products!.data as Float32Array;
  }
}
