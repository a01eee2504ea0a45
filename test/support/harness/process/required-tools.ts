import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'vitest';

type Readiness = { readonly path: string } | { readonly reason: string };

/**
 * A suite that needs programs which the machine may lack (the rows of scripts/needs.mjs). It receives
 * their paths. If one cannot be had, the suite is skipped and the reason is printed.
 */
export function describeWith<const Name extends string>(
  needs: readonly Name[],
  suite: string,
  define: (tools: Readonly<Record<Name, string>>) => void,
): void {
  const found = readiness(needs);
  const paths: Partial<Record<Name, string>> = {};
  const reasons: string[] = [];
  for (const name of needs) {
    const tool = found[name];
    if (tool && 'path' in tool) paths[name] = tool.path;
    else reasons.push(`${name}: ${tool?.reason ?? NOT_PREPARED}`);
  }
  describe(suite, () => {
    if (reasons.length === 0) return define(paths as Record<Name, string>);
    it('has what it needs', ({ skip }) => skip(`it cannot run: ${reasons.join('; ')}`));
  });
}

/** The path of one need, for programs outside of the tests. @throws why it cannot be had */
export function prepareTool(name: string): string {
  const found = readiness([name])[name];
  if (found && 'path' in found) return found.path;
  throw new Error(`${name}: ${found?.reason ?? NOT_PREPARED}`);
}

/** The path of one need; undefined if it cannot be had. */
export function findTool(name: string): string | undefined {
  const found = readiness([name])[name];
  return found && 'path' in found ? found.path : undefined;
}

const NOT_PREPARED = 'the launcher did not prepare it';

/** What the launcher prepared. Without the launcher, or for a single file, it is prepared here. */
function readiness(needs: readonly string[]): Readonly<Record<string, Readiness>> {
  const script = fileURLToPath(new URL('../../../../../scripts/needs.mjs', import.meta.url));
  const json = process.env.PARLEY_TOOLS ?? execFileSync(process.execPath, [script, ...needs]);
  return JSON.parse(json.toString());
}
