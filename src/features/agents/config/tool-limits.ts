/** Limit of a tool's `parameters` and of its `response`, as JSON in UTF-8. */
const MAX_SCHEMA_BYTES = 32 * 1024;
const MAX_SCHEMA_PROPERTIES = 200;
const MAX_SCHEMA_PATTERNS = 20;
/** Limit for all tools of an agent and for all MCP servers of a call. Each request to the LLM contains them. */
export const MAX_TOOLS_BYTES = 256 * 1024;

const TOO_LONG = `must not be longer than ${MAX_SCHEMA_BYTES} bytes of JSON`;

export interface LimitedTool {
  readonly parameters: object;
  readonly response: object | null;
}

/** A tool that exceeds a limit. */
export interface ToolLimitProblem {
  readonly index: number;
  readonly field: keyof LimitedTool;
  readonly problem: string;
}

/** Tools that exceed a limit, alone or together with the tools before them. */
export function toolLimitProblems(tools: readonly LimitedTool[]): readonly ToolLimitProblem[] {
  let totalBytes = 0;
  return tools.flatMap<ToolLimitProblem>(({ parameters, response }, index) => {
    const problem = schemaLimitProblem(parameters);
    if (problem !== undefined) return [{ index, field: 'parameters', problem }];
    const responseBytes = jsonBytes(response);
    if (responseBytes > MAX_SCHEMA_BYTES) {
      return [{ index, field: 'response', problem: `the response ${TOO_LONG}` }];
    }
    const bytes = jsonBytes(parameters) + responseBytes;
    if (totalBytes + bytes > MAX_TOOLS_BYTES) {
      const sum = `the schemas of all tools together must not be longer than ${MAX_TOOLS_BYTES} bytes`;
      return [{ index, field: 'parameters', problem: sum }];
    }
    totalBytes += bytes;
    return [];
  });
}

/**
 * The reason for rejecting a tool's parameters (JSON Schema or shorthand); undefined if they are valid.
 * The schema is not compiled.
 */
export function schemaLimitProblem(parameters: object): string | undefined {
  if (jsonBytes(parameters) > MAX_SCHEMA_BYTES) return `the schema ${TOO_LONG}`;
  const { properties, patterns } = countParts(parameters);
  if (properties > MAX_SCHEMA_PROPERTIES) {
    return `the schema must not have more than ${MAX_SCHEMA_PROPERTIES} properties; it has ${properties}`;
  }
  if (patterns > MAX_SCHEMA_PATTERNS) {
    return `the schema must not have more than ${MAX_SCHEMA_PATTERNS} patterns; it has ${patterns}`;
  }
  return undefined;
}

/** The size of a value as JSON, bytes. Infinite if it is nested too deeply for JSON.stringify. */
export function jsonBytes(value: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(value));
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Counts properties and patterns at every depth. In shorthand, each entry is a property. */
function countParts(parameters: object): {
  readonly properties: number;
  readonly patterns: number;
} {
  let properties = 0;
  let patterns = 0;
  const pending: object[] = [parameters];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const [key, value] of Object.entries(next)) {
      if (key === 'pattern' && typeof value === 'string') patterns++;
      if (!isContainer(value)) continue;
      if (key === 'properties') properties += Object.keys(value).length;
      if (key === 'patternProperties') patterns += Object.keys(value).length;
      pending.push(value);
    }
  }
  return { properties: Math.max(properties, Object.keys(parameters).length), patterns };
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
