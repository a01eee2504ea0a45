import { EMPTY_MODEL, onnxInput, onnxNode, onnxOutput } from '../runtime/onnx-encode.js';
import { withGraph } from '../runtime/onnx-graph.js';
import { floatsOf, OnnxModel } from '../runtime/onnx-session.js';

/**
 * Dot products of many vectors with one vector. The ONNX runtime's SIMD kernels need a twelfth of the time of
 * a JavaScript loop. Use it on a worker thread, because `of` blocks its thread.
 */
export class DotProducts {
  readonly #model: OnnxModel;

  private constructor(model: OnnxModel) {
    this.#model = model;
  }

  static async open(): Promise<DotProducts> {
    const model = withGraph(EMPTY_MODEL, [
      ...['query', 'columns'].map(onnxInput),
      onnxOutput('products'),
      onnxNode('MatMul', ['query', 'columns'], ['products']),
    ]);
    return new DotProducts(await OnnxModel.load(model));
  }

  /**
   * @param columns - the first value of each vector, then the second of each, and so on. This layout is twice
   *   as fast as one vector after the other
   * @param query - one vector, as long as each of the others
   * @returns one product for each vector
   */
  async of(columns: Float32Array, query: Float32Array): Promise<Float32Array> {
    const { length } = query;
    const { products } = await this.#model.run({
      query: { data: query, dims: [1, length] },
      columns: { data: columns, dims: [length, columns.length / length] },
    });
    return floatsOf(products);
  }
}
