/** ONNX's number for float32 tensors. */
const FLOAT = 1;
/** Numbers of the fields in ONNX's schema (Source: onnx.proto, ModelProto … TypeProto.Tensor). */
const MODEL_GRAPH = 7;
const GRAPH_OUTPUT = 12;
const VALUE_NAME = 1;
const VALUE_TYPE = 2;
const TYPE_TENSOR = 1;
const TENSOR_ELEMENT = 1;
const LENGTH_DELIMITED = 2;

/**
 * Makes an inner float32 tensor of an ONNX model one of its outputs, without reading the model: a
 * second graph field is appended, which protobuf merges with the first.
 *
 * @param tensor the tensor's name; a model without it fails when it is loaded.
 */
export function withOutput(model: Uint8Array, tensor: string): Uint8Array {
  const type = message(TYPE_TENSOR, Uint8Array.of(TENSOR_ELEMENT << 3, FLOAT));
  const value = concat(
    message(VALUE_NAME, new TextEncoder().encode(tensor)),
    message(VALUE_TYPE, type),
  );
  return concat(model, message(MODEL_GRAPH, message(GRAPH_OUTPUT, value)));
}

function message(field: number, content: Uint8Array): Uint8Array {
  const tag = (field << 3) | LENGTH_DELIMITED;
  return concat(Uint8Array.of(tag, ...varint(content.length)), content);
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)];
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}
