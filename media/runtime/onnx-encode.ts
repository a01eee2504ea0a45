import { delimited, joinBytes, numeric } from './protobuf.js';

/** Numbers of fields and tensor types in the ONNX schema. Source: onnx.proto. */
export const MODEL_GRAPH_FIELD = 7;
export const GRAPH_FIELD = {
  node: 1,
  initializer: 5,
  input: 11,
  output: 12,
  valueInfo: 13,
} as const;
export const NODE_FIELD = { input: 1, output: 2, operator: 4, attribute: 5, domain: 7 } as const;
export const INITIALIZER_NAME_FIELD = 8;
export const VALUE_FIELD = { name: 1, type: 2 } as const;
export const TENSOR_FIELD = { dims: 1, type: 2, int32Data: 5, raw: 9 } as const;
export const TENSOR_TYPE = { float32: 1, uint8: 2, int8: 3, int64: 7 } as const;

/**
 * A model with an empty graph: IR version 8, opset 17, version 1 of the runtime's own operators. Source:
 * onnx.proto, ModelProto.
 */
export const EMPTY_MODEL = joinBytes([
  numeric(1, 8),
  delimited(MODEL_GRAPH_FIELD, new Uint8Array(0)),
  delimited(8, numeric(2, 17)),
  delimited(8, joinBytes([delimited(1, new TextEncoder().encode('com.microsoft')), numeric(2, 1)])),
]);

/**
 * Encodes a node of a graph.
 * @param inputs - names of tensors
 * @param outputs - names of tensors
 * @param domain - of the operator; default: '', ONNX's own domain
 */
export function onnxNode(
  operator: string,
  inputs: readonly string[],
  outputs: readonly string[],
  domain = '',
): Uint8Array {
  const bytes = (value: string) => new TextEncoder().encode(value);
  return delimited(
    GRAPH_FIELD.node,
    joinBytes([
      ...inputs.map((name) => delimited(NODE_FIELD.input, bytes(name))),
      ...outputs.map((name) => delimited(NODE_FIELD.output, bytes(name))),
      delimited(NODE_FIELD.operator, bytes(operator)),
      delimited(NODE_FIELD.domain, bytes(domain)),
    ]),
  );
}

/** Encodes a constant one-dimensional int64 tensor of a graph. */
export function onnxIntegers(name: string, values: readonly number[]): Uint8Array {
  return constant(name, [values.length], TENSOR_TYPE.int64, BigInt64Array.from(values, BigInt));
}

/** Encodes a constant float32 tensor of a graph. @param values - row-major */
export function onnxFloats(
  name: string,
  dims: readonly number[],
  values: Float32Array,
): Uint8Array {
  return constant(name, dims, TENSOR_TYPE.float32, values);
}

/** Encodes a constant int8 or uint8 tensor of a graph. @param values - row-major */
export function onnxBytes(
  name: string,
  dims: readonly number[],
  values: Int8Array | Uint8Array,
): Uint8Array {
  return constant(
    name,
    dims,
    values instanceof Int8Array ? TENSOR_TYPE.int8 : TENSOR_TYPE.uint8,
    values,
  );
}

function constant(
  name: string,
  dims: readonly number[],
  type: number,
  { buffer, byteOffset, byteLength }: ArrayBufferView,
): Uint8Array {
  return delimited(
    GRAPH_FIELD.initializer,
    joinBytes([
      ...dims.map((dim) => numeric(TENSOR_FIELD.dims, dim)),
      numeric(TENSOR_FIELD.type, type),
      delimited(INITIALIZER_NAME_FIELD, new TextEncoder().encode(name)),
      delimited(TENSOR_FIELD.raw, new Uint8Array(buffer, byteOffset, byteLength)),
    ]),
  );
}

/** Encodes a float32 input of a graph. */
export function onnxInput(name: string): Uint8Array {
  return delimited(GRAPH_FIELD.input, floatTensor(name));
}

/** Encodes a float32 output of a graph. */
export function onnxOutput(name: string): Uint8Array {
  return delimited(GRAPH_FIELD.output, floatTensor(name));
}

/** Encodes the name and type of a float32 tensor of unspecified shape. */
export function floatTensor(name: string): Uint8Array {
  const type = delimited(1, numeric(1, TENSOR_TYPE.float32));
  return joinBytes([
    delimited(VALUE_FIELD.name, new TextEncoder().encode(name)),
    delimited(VALUE_FIELD.type, type),
  ]);
}
