import type { ToolOutcome, ToolSpec, Tools } from '../../../agents-runtime/contract/tools.js';

type Arguments = Readonly<Record<string, unknown>>;

/** One tool of one call. */
export interface CallTool {
  readonly spec: ToolSpec;
  problemWith(args: Arguments): Promise<string | undefined>;
  call(args: Arguments, signal: AbortSignal): Promise<ToolOutcome>;
}

/** The tools of one call by name. The first of two equal names wins. */
export function createToolSet(list: () => readonly CallTool[]): Tools {
  const find = (name: string) => list().find(({ spec }) => spec.name === name);
  return {
    get specs() {
      return list().map(({ spec }) => spec);
    },
    problemWith: async (name, args) => find(name)?.problemWith(args),
    async call(name, args, signal) {
      const tool = find(name);
      if (tool) return tool.call(args, signal);
      return { text: 'Error: the tool is not there any more.', failed: true };
    },
  };
}
