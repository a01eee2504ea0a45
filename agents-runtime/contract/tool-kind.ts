/** Where a tool is: in the call itself, or outside. */
export type ToolKind = 'call' | 'webhook' | 'mcp' | 'managed';
