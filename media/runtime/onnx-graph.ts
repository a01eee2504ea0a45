import { MediaError } from '../errors.js';
import {
  floatTensor,
  GRAPH_FIELD,
  INITIALIZER_NAME_FIELD,
  MODEL_GRAPH_FIELD,
  NODE_FIELD,
  TENSOR_FIELD,
  TENSOR_TYPE,
  VALUE_FIELD,
} from './onnx-encode.js';
import { delimited, joinBytes, numeric, type ProtoField, readFields } from './protobuf.js';

/** Source: onnx.proto, AttributeProto. */
const ATTRIBUTE_TENSOR = 5;
const ATTRIBUTE_GRAPHS: readonly number[] = [6, 11];

/** An operation of a graph with the names of its input and output tensors. */
export interface OnnxNode {
  readonly operator: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

/** New nodes that replace those of a model. */
export interface OnnxSubstitutes {
  /** Names of the tensors that the new nodes compute. */
  readonly names: readonly string[];
  /** Names of the model's tensors that the new nodes read. */
  readonly needs: readonly string[];
  /** Encoded fields of the graph: nodes, constants and inputs. */
  readonly fields: readonly Uint8Array[];
}

interface EncodedNode extends OnnxNode {
  readonly bytes: Uint8Array;
}

/**
 * The graph of an ONNX model. Parts of it can be extracted as models. The class works on the protobuf
 * encoding and copies fields unchanged, so it needs neither the schema nor the runtime.
 */
export class OnnxGraph {
  readonly #model: readonly ProtoField[];
  readonly #graph: readonly ProtoField[];
  readonly #nodes: readonly EncodedNode[];
  readonly #makers = new Map<string, EncodedNode>();
  readonly #inputs: ReadonlySet<string>;

  /**
   * @param model - content of an `.onnx` file
   * @throws MediaError MODEL_CORRUPT for other bytes, and for a model with nested graphs
   */
  constructor(model: Uint8Array) {
    this.#model = readFields(model);
    const graph = this.#model.find((field) => field.number === MODEL_GRAPH_FIELD);
    if (!graph) throw new MediaError('MODEL_CORRUPT', 'The model file has no graph');
    this.#graph = readFields(graph.content);
    this.#nodes = this.#graph.filter((f) => f.number === GRAPH_FIELD.node).map(readNode);
    for (const node of this.#nodes) for (const name of node.outputs) this.#makers.set(name, node);
    this.#inputs = new Set(
      this.#graph
        .filter((f) => f.number === GRAPH_FIELD.input)
        .map((f) => nameIn(f, VALUE_FIELD.name)),
    );
  }

  get nodes(): readonly OnnxNode[] {
    return this.#nodes;
  }

  get outputs(): readonly string[] {
    const fields = this.#graph.filter((field) => field.number === GRAPH_FIELD.output);
    return fields.map((field) => nameIn(field, VALUE_FIELD.name));
  }

  /** Returns the node that computes a tensor; undefined for inputs and constants. */
  makerOf(tensor: string): OnnxNode | undefined {
    return this.#makers.get(tensor);
  }

  /**
   * Returns the names of all tensors, including constants and inputs, that are needed to compute `outputs`.
   * @param given - tensors that are known, so that their own inputs are not needed; default: none
   */
  needsOf(outputs: readonly string[], given: readonly string[] = []): ReadonlySet<string> {
    const needed = new Set<string>();
    const open = [...outputs];
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      if (needed.has(name)) continue;
      needed.add(name);
      if (!given.includes(name)) open.push(...(this.#makers.get(name)?.inputs ?? []));
    }
    return needed;
  }

  /** Whether `outputs` can be computed from `given` without any input of the model. */
  isDeterminedBy(outputs: readonly string[], given: readonly string[]): boolean {
    const needed = this.needsOf(outputs, given);
    return ![...this.#inputs].some((input) => needed.has(input));
  }

  /**
   * Returns the part of the model that computes `outputs` from `given` and the model's inputs. The new
   * inputs and outputs are float32 of unspecified shape.
   * @param given - tensors that become inputs; default: none
   * @returns content of an `.onnx` file
   */
  part(
    outputs: readonly string[],
    given: readonly string[] = [],
    { names, needs, fields }: OnnxSubstitutes = { names: [], needs: [], fields: [] },
  ): Uint8Array {
    const known = [...given, ...names];
    const needed = this.needsOf([...outputs, ...needs], known);
    const made = (node: EncodedNode) =>
      node.outputs.some((name) => needed.has(name) && !known.includes(name));
    const nodes = this.#nodes.filter(made).map((node) => node.bytes);
    const rest = this.#graph.filter((field) => {
      if (field.number === GRAPH_FIELD.node) return false;
      if (field.number === GRAPH_FIELD.output || field.number === GRAPH_FIELD.valueInfo)
        return false;
      if (field.number === GRAPH_FIELD.input) return needed.has(nameIn(field, VALUE_FIELD.name));
      if (field.number === GRAPH_FIELD.initializer)
        return needed.has(nameIn(field, INITIALIZER_NAME_FIELD));
      return true;
    });
    const graph = joinBytes([
      ...nodes,
      ...rest.map((field) => field.bytes),
      ...fields,
      ...given.map((name) => delimited(GRAPH_FIELD.input, floatTensor(name))),
      ...outputs.map((name) => delimited(GRAPH_FIELD.output, floatTensor(name))),
    ]);
    return joinBytes(
      this.#model.map((field) =>
        field.number === MODEL_GRAPH_FIELD ? delimited(MODEL_GRAPH_FIELD, graph) : field.bytes,
      ),
    );
  }
}

/**
 * Replaces the graph of a model.
 * @param fields - encoded fields of the new graph
 * @throws MediaError MODEL_CORRUPT
 */
export function withGraph(model: Uint8Array, fields: readonly Uint8Array[]): Uint8Array {
  const graph = delimited(MODEL_GRAPH_FIELD, joinBytes(fields));
  const parts = readFields(model);
  return joinBytes(
    parts.map(({ number, bytes }) => (number === MODEL_GRAPH_FIELD ? graph : bytes)),
  );
}

/**
 * Converts int8 constants of a model to uint8 by adding 128. Other tensors are not changed.
 * @param names - of the constants
 * @throws MediaError MODEL_CORRUPT
 */
export function withUnsignedBytes(model: Uint8Array, names: ReadonlySet<string>): Uint8Array {
  const converted = (field: ProtoField) =>
    field.number === GRAPH_FIELD.initializer && names.has(nameIn(field, INITIALIZER_NAME_FIELD))
      ? delimited(GRAPH_FIELD.initializer, unsignedTensor(field.content))
      : field.bytes;
  const [graph] = readFields(model).filter(({ number }) => number === MODEL_GRAPH_FIELD);
  return graph ? withGraph(model, readFields(graph.content).map(converted)) : model;
}

function unsignedTensor(tensor: Uint8Array): Uint8Array {
  const fields = readFields(tensor);
  const type = fields.find(({ number }) => number === TENSOR_FIELD.type)?.bytes.at(-1);
  const raw = fields.find(({ number }) => number === TENSOR_FIELD.raw)?.content;
  const packed = fields.find(({ number }) => number === TENSOR_FIELD.int32Data)?.content;
  const values = raw ?? (packed && lowBytes(packed));
  if (type !== TENSOR_TYPE.int8 || !values) return tensor;
  const replaced: readonly number[] = [TENSOR_FIELD.type, TENSOR_FIELD.raw, TENSOR_FIELD.int32Data];
  return joinBytes([
    ...fields.filter(({ number }) => !replaced.includes(number)).map(({ bytes }) => bytes),
    numeric(TENSOR_FIELD.type, TENSOR_TYPE.uint8),
    // Adds 128 in two's complement.
    delimited(
      TENSOR_FIELD.raw,
      values.map((value) => value ^ 0x80),
    ),
  ]);
}

/** Returns the lowest byte of each varint in a packed field. */
function lowBytes(packed: Uint8Array): Uint8Array {
  const values: number[] = [];
  for (let at = 0; at < packed.length; at++) {
    const low = packed[at]!;
    values.push(low < 0x80 ? low : (low & 0x7f) | ((packed[at + 1]! & 1) << 7));
    while (packed[at]! >= 0x80) at++;
  }
  return Uint8Array.from(values);
}

/**
 * Reads the float32 values of a model's Constant nodes.
 * @returns one map from tensor name to values for each graph and nested graph
 * @throws MediaError MODEL_CORRUPT
 */
export function onnxConstants(model: Uint8Array): ReadonlyMap<string, Float32Array>[] {
  const graphs = readFields(model).filter(({ number }) => number === MODEL_GRAPH_FIELD);
  return graphs.flatMap(({ content }) => constantsIn(content));
}

function constantsIn(graph: Uint8Array): ReadonlyMap<string, Float32Array>[] {
  const own = new Map<string, Float32Array>();
  const nested: ReadonlyMap<string, Float32Array>[] = [];
  for (const node of readFields(graph)) {
    if (node.number !== GRAPH_FIELD.node) continue;
    for (const attribute of readFields(node.content)) {
      if (attribute.number !== NODE_FIELD.attribute) continue;
      for (const { number, content } of readFields(attribute.content)) {
        if (ATTRIBUTE_GRAPHS.includes(number)) nested.push(...constantsIn(content));
        if (number !== ATTRIBUTE_TENSOR) continue;
        const raw = readFields(content).find((part) => part.number === TENSOR_FIELD.raw)?.content;
        const name = nameIn({ number, bytes: content, content }, INITIALIZER_NAME_FIELD);
        // Copied, because a Float32Array needs an offset that is a multiple of 4.
        if (raw && raw.length % 4 === 0)
          own.set(name, new Float32Array(new Uint8Array(raw).buffer));
      }
    }
  }
  return [own, ...nested];
}

function readNode({ bytes, content }: ProtoField): EncodedNode {
  const fields = readFields(content);
  const texts = (number: number) =>
    fields.filter((field) => field.number === number).map((field) => text(field.content));
  for (const field of fields) {
    if (field.number !== NODE_FIELD.attribute) continue;
    if (readFields(field.content).some((part) => ATTRIBUTE_GRAPHS.includes(part.number))) {
      throw new MediaError('MODEL_CORRUPT', 'A model with nested graphs cannot be split');
    }
  }
  return {
    bytes,
    operator: texts(NODE_FIELD.operator)[0] ?? '',
    inputs: texts(NODE_FIELD.input).filter((name) => name !== ''),
    outputs: texts(NODE_FIELD.output),
  };
}

function nameIn(field: ProtoField, number: number): string {
  const name = readFields(field.content).find((part) => part.number === number);
  return name ? text(name.content) : '';
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
