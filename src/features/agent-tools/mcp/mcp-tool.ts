import { type CallToolResult, ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import type { ToolOutcome } from '../../../../agents-runtime/contract/tools.js';
import { formatToolResult } from '../tool-result-format.js';
import { argumentSchema } from '../tool-schema.js';
import type { CallTool } from '../tool-set.js';
import type { ArgumentValidator } from '../validation/argument-validator.js';
import type { ToolContext } from '../webhook-tool.js';
import { McpAnswerError } from './mcp-fetch.js';
import type { ListedTool, McpSession } from './mcp-session.js';

/** MCP defines no timeout. */
const TIMEOUT_MS = 30_000;
const MAX_DESCRIPTION = 4_000;
const MAX_REASON = 2_000;

export interface McpToolParts {
  readonly session: Pick<McpSession, 'call'>;
  readonly toolContext: ToolContext;
  readonly validator: Pick<ArgumentValidator, 'validate'>;
  readonly onFault: (error: unknown) => void;
}

/** A tool of an MCP server in one call. @param name its name for the model */
export function mcpTool(
  { name: ownName, description, inputSchema }: ListedTool,
  name: string,
  { session, toolContext, validator, onFault }: McpToolParts,
): CallTool {
  const parameters = argumentSchema({ ...inputSchema, type: 'object' });
  let schema: string | undefined;
  const spec = {
    name,
    kind: 'mcp',
    description: description.slice(0, MAX_DESCRIPTION),
    parameters,
    mode: 'sync',
    timeoutMs: TIMEOUT_MS,
  } as const;
  return {
    spec,
    problemWith: (args) => {
      schema ??= JSON.stringify(parameters);
      return validator.validate({ ...toolContext, name }, { schema, args });
    },
    async call(args, signal) {
      try {
        return outcomeOf(await session.call(ownName, args, { signal, timeoutMs: TIMEOUT_MS }));
      } catch (error) {
        onFault(error);
        return refused(error);
      }
    },
  };
}

/** The server's error message helps the model; one about a broken connection does not. */
function refused(error: unknown): ToolOutcome {
  if (error instanceof McpError && error.code !== ErrorCode.ConnectionClosed) {
    const outcome = 'Error: the tool failed.';
    return {
      text: formatToolResult({ outcome, data: error.message.slice(0, MAX_REASON) }),
      failed: true,
    };
  }
  const why = error instanceof McpAnswerError ? error.message : 'its server cannot be asked';
  return { text: `Error: the tool failed, because ${why}.`, failed: true };
}

function outcomeOf({ isError, content, structuredContent }: CallToolResult): ToolOutcome {
  const failed = isError === true;
  const outcome = failed ? 'Error: the tool failed.' : 'The tool answered.';
  const items = content.map(dataOf);
  const data = structuredContent ?? (items.length === 1 ? items[0] : items);
  return { text: formatToolResult({ outcome, data }), failed };
}

function dataOf(item: CallToolResult['content'][number]): unknown {
  switch (item.type) {
    case 'text':
      return parsed(item.text);
    case 'image':
    case 'audio':
      return `(${item.mimeType.slice(0, 100)}: no text)`;
    case 'resource_link':
      return { name: item.name, uri: item.uri };
    case 'resource':
      return 'text' in item.resource ? item.resource.text : `(${item.resource.uri}: no text)`;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
