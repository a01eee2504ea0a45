/** Maximum length of tool names of OpenAI-compatible servers. */
const MAX_NAME = 64;

export interface ServerTool {
  readonly server: string;
  readonly name: string;
}

/**
 * The names of all servers' tools for a model: their own names; ambiguous and taken names get the server's
 * name as prefix. Undefined for a tool that stays ambiguous.
 */
export function mcpToolNames(
  tools: readonly ServerTool[],
  taken: readonly string[],
): readonly (string | undefined)[] {
  const plain = tools.map(({ name }) => toModelName(name));
  const used = new Set(taken);
  return tools.map(({ server, name }, i) => {
    const isAlone =
      !used.has(plain[i]!) && plain.indexOf(plain[i]!) === plain.lastIndexOf(plain[i]!);
    const chosen = isAlone ? plain[i]! : toModelName(`${server}_${name}`);
    if (chosen === '' || used.has(chosen)) return undefined;
    used.add(chosen);
    return chosen;
  });
}

/** Converts a name to one that models accept. */
export function toModelName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]+/g, '_').slice(0, MAX_NAME);
}
