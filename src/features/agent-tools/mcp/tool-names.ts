/** What models of OpenAI-compatible servers take as a name. */
const MAX_NAME = 64;

export interface ServerTool {
  readonly server: string;
  readonly name: string;
}

/**
 * Names by which a model knows the tools of all servers: their own, but for those that two have, or
 * that are taken; these begin with the server's name. One that cannot be told apart even so is
 * undefined.
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

/** A name as models take it. */
export function toModelName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]+/g, '_').slice(0, MAX_NAME);
}
