import { MediaError } from '../errors.js';
import { delimited, joinBytes, numeric, type ProtoField, readFields } from './protobuf.js';

/** Numbers of fields and types in ONNX's schema (Source: onnx.proto). */
const MODEL_GRAPH = 7;
const GRAPH = { node: 1, initializer: 5, input: 11, output: 12, valueInfo: 13 } as const;
const NODE = { input: 1, output: 2, operator: 4, attribute: 5, domain: 7 } as const;
const ATTRIBUTE_TENSOR = 5;
const ATTRIBUTE_GRAPHS: readonly number[] = [6, 11];
const INITIALIZER_NAME = 8;
const VALUE = { name: 1, type: 2 } as const;
const TENSOR = { dims: 1, type: 2, raw: 9 } as const;
const FLOAT_32 = 1;
const INT_64 = 7;

/** An operation of a graph: names of the tensors that it reads and makes. */
export interface OnnxNode {
  readonly operator: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
}

/** Nodes of one's own that make tensors in the place of the model's. */
export interface OnnxSubstitutes {
  /** What they make. */
  readonly names: readonly string[];
  /** What of the model they read. */
  readonly needs: readonly string[];
  /** Fields of the graph: nodes, constants and inputs. */
  readonly fields: readonly Uint8Array[];
}

interface Kept extends OnnxNode {
  readonly bytes: Uint8Array;
}

/**
 * An ONNX model as a graph of which parts can be made models of their own, without the schema and
 * without the runtime: fields are copied as they stand.
 */
export class OnnxGraph {
  readonly #model: readonly ProtoField[];
  readonly #graph: readonly ProtoField[];
  readonly #nodes: readonly Kept[];
  readonly #makers = new Map<string, Kept>();
  readonly #inputs: ReadonlySet<string>;

  /** @throws MediaError MODEL_CORRUPT for bytes that are no model, or one with nested graphs. */
  constructor(model: Uint8Array) {
    this.#model = readFields(model);
    const graph = this.#model.find((field) => field.number === MODEL_GRAPH);
    if (!graph) throw new MediaError('MODEL_CORRUPT', 'A model file has no graph');
    this.#graph = readFields(graph.content);
    this.#nodes = this.#graph.filter((f) => f.number === GRAPH.node).map(readNode);
    for (const node of this.#nodes) for (const name of node.outputs) this.#makers.set(name, node);
    this.#inputs = new Set(
      this.#graph.filter((f) => f.number === GRAPH.input).map((f) => nameIn(f, VALUE.name)),
    );
  }

  get nodes(): readonly OnnxNode[] {
    return this.#nodes;
  }

  get outputs(): readonly string[] {
    const fields = this.#graph.filter((field) => field.number === GRAPH.output);
    return fields.map((field) => nameIn(field, VALUE.name));
  }

  /** The node that makes a tensor; inputs and constants have none. */
  makerOf(tensor: string): OnnxNode | undefined {
    return this.#makers.get(tensor);
  }

  /** All tensors that `outputs` need when `given` are known: constants and inputs too. */
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

  /** Whether tensors can be computed from `given` alone, without an input of the model. */
  isDeterminedBy(outputs: readonly string[], given: readonly string[]): boolean {
    const needed = this.needsOf(outputs, given);
    return ![...this.#inputs].some((input) => needed.has(input));
  }

  /**
   * The part of the model that makes `outputs` from `given` and the model's own inputs. Tensors at the
   * seams are float32, their shapes are left open.
   */
  part(
    outputs: readonly string[],
    given: readonly string[] = [],
    { names, needs, fields }: OnnxSubstitutes = { names: [], needs: [], fields: [] },
  ): Uint8Array {
    const known = [...given, ...names];
    const needed = this.needsOf([...outputs, ...needs], known);
    const made = (node: Kept) =>
      node.outputs.some((name) => needed.has(name) && !known.includes(name));
    const nodes = this.#nodes.filter(made).map((node) => node.bytes);
    const rest = this.#graph.filter((field) => {
      if (field.number === GRAPH.node) return false;
      if (field.number === GRAPH.output || field.number === GRAPH.valueInfo) return false;
      if (field.number === GRAPH.input) return needed.has(nameIn(field, VALUE.name));
      if (field.number === GRAPH.initializer) return needed.has(nameIn(field, INITIALIZER_NAME));
      return true;
    });
    const graph = joinBytes([
      ...nodes,
      ...rest.map((field) => field.bytes),
      ...fields,
      ...given.map((name) => delimited(GRAPH.input, floatTensor(name))),
      ...outputs.map((name) => delimited(GRAPH.output, floatTensor(name))),
    ]);
    return joinBytes(
      this.#model.map((field) =>
        field.number === MODEL_GRAPH ? delimited(MODEL_GRAPH, graph) : field.bytes,
      ),
    );
  }
}

/** A node of one's own, as a field of a graph. @param domain whose operator it is; '' for ONNX's own. */
export function onnxNode(
  operator: string,
  inputs: readonly string[],
  outputs: readonly string[],
  domain = '',
): Uint8Array {
  const bytes = (value: string) => new TextEncoder().encode(value);
  return delimited(
    GRAPH.node,
    joinBytes([
      ...inputs.map((name) => delimited(NODE.input, bytes(name))),
      ...outputs.map((name) => delimited(NODE.output, bytes(name))),
      delimited(NODE.operator, bytes(operator)),
      delimited(NODE.domain, bytes(domain)),
    ]),
  );
}

/** A constant list of whole numbers, as a field of a graph. */
export function onnxIntegers(name: string, values: readonly number[]): Uint8Array {
  const raw = new Uint8Array(BigInt64Array.from(values, BigInt).buffer);
  return delimited(
    GRAPH.initializer,
    joinBytes([
      numeric(TENSOR.dims, values.length),
      numeric(TENSOR.type, INT_64),
      delimited(INITIALIZER_NAME, new TextEncoder().encode(name)),
      delimited(TENSOR.raw, raw),
    ]),
  );
}

/** A constant tensor of float32, as a field of a graph. */
export function onnxFloats(
  name: string,
  dims: readonly number[],
  values: Float32Array,
): Uint8Array {
  const raw = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  return delimited(
    GRAPH.initializer,
    joinBytes([
      ...dims.map((dim) => numeric(TENSOR.dims, dim)),
      numeric(TENSOR.type, FLOAT_32),
      delimited(INITIALIZER_NAME, new TextEncoder().encode(name)),
      delimited(TENSOR.raw, raw),
    ]),
  );
}

/** An input of one's own, of float32, as a field of a graph. */
export function onnxInput(name: string): Uint8Array {
  return delimited(GRAPH.input, floatTensor(name));
}

/** An output, of float32, as a field of a graph. */
export function onnxOutput(name: string): Uint8Array {
  return delimited(GRAPH.output, floatTensor(name));
}

/** A model with a graph of one's own in the place of its own. @throws MediaError MODEL_CORRUPT */
export function withGraph(model: Uint8Array, fields: readonly Uint8Array[]): Uint8Array {
  const graph = delimited(MODEL_GRAPH, joinBytes(fields));
  const parts = readFields(model);
  return joinBytes(parts.map(({ number, bytes }) => (number === MODEL_GRAPH ? graph : bytes)));
}

/**
 * The constants of float32 that a model's nodes hold, those of each nested graph by themselves.
 * @throws MediaError MODEL_CORRUPT
 */
export function onnxConstants(model: Uint8Array): ReadonlyMap<string, Float32Array>[] {
  const graphs = readFields(model).filter(({ number }) => number === MODEL_GRAPH);
  return graphs.flatMap(({ content }) => constantsIn(content));
}

function constantsIn(graph: Uint8Array): ReadonlyMap<string, Float32Array>[] {
  const own = new Map<string, Float32Array>();
  const nested: ReadonlyMap<string, Float32Array>[] = [];
  for (const node of readFields(graph)) {
    if (node.number !== GRAPH.node) continue;
    for (const attribute of readFields(node.content)) {
      if (attribute.number !== NODE.attribute) continue;
      for (const { number, content } of readFields(attribute.content)) {
        if (ATTRIBUTE_GRAPHS.includes(number)) nested.push(...constantsIn(content));
        if (number !== ATTRIBUTE_TENSOR) continue;
        const raw = readFields(content).find((part) => part.number === TENSOR.raw)?.content;
        const name = nameIn({ number, bytes: content, content }, INITIALIZER_NAME);
        // Copied: floats lie at places that four divides.
        if (raw && raw.length % 4 === 0)
          own.set(name, new Float32Array(new Uint8Array(raw).buffer));
      }
    }
  }
  return [own, ...nested];
}

function readNode({ bytes, content }: ProtoField): Kept {
  const fields = readFields(content);
  const texts = (number: number) =>
    fields.filter((field) => field.number === number).map((field) => text(field.content));
  for (const field of fields) {
    if (field.number !== NODE.attribute) continue;
    if (readFields(field.content).some((part) => ATTRIBUTE_GRAPHS.includes(part.number))) {
      throw new MediaError('MODEL_CORRUPT', 'A model with nested graphs cannot be cut');
    }
  }
  return {
    bytes,
    operator: texts(NODE.operator)[0] ?? '',
    inputs: texts(NODE.input).filter((name) => name !== ''),
    outputs: texts(NODE.output),
  };
}

function nameIn(field: ProtoField, number: number): string {
  const name = readFields(field.content).find((part) => part.number === number);
  return name ? text(name.content) : '';
}

function floatTensor(name: string): Uint8Array {
  const type = delimited(1, numeric(1, FLOAT_32));
  return joinBytes([
    delimited(VALUE.name, new TextEncoder().encode(name)),
    delimited(VALUE.type, type),
  ]);
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
