import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'vitest';

type Readiness = { readonly path: string } | { readonly reason: string };

/**
 * A suite that wants programs which the machine may lack (the rows of scripts/needs.mjs). It gets
 * their paths; if one cannot be had, the suite is skipped with the reason, or fails with it under
 * `CI=true`. The list must stand in the call itself: the launcher reads it from there.
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
    else reasons.push(`${name}: ${tool?.reason ?? 'nobody prepared it'}`);
  }
  describe(suite, () => {
    if (reasons.length === 0) return define(paths as Record<Name, string>);
    it('has what it needs', ({ skip }) => {
      const reason = `it cannot run: ${reasons.join('; ')}`;
      if (process.env.CI === 'true') throw new Error(reason);
      skip(reason);
    });
  });
}

/** The path of one need, for programs outside of the tests. @throws why it cannot be had */
export function prepareTool(name: string): string {
  const found = readiness([name])[name];
  if (found && 'path' in found) return found.path;
  throw new Error(`${name}: ${found?.reason ?? 'nobody prepared it'}`);
}

/** What the launcher prepared; a bare vitest prepares the suite's needs here and now. */
function readiness(needs: readonly string[]): Readonly<Record<string, Readiness>> {
  const script = fileURLToPath(new URL('../../../scripts/needs.mjs', import.meta.url));
  const json = process.env.PARLEY_TOOLS ?? execFileSync(process.execPath, [script, ...needs]);
  return JSON.parse(json.toString());
}
