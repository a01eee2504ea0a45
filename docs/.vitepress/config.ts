import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SiteConfig } from 'vitepress';
import { withMermaid } from 'vitepress-plugin-mermaid';

/** A sidebar group with all pages of a folder, by their titles. */
const pagesOf = (folder: string, order: readonly string[] = []) => {
  const names = readdirSync(join(import.meta.dirname, '..', folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => name.slice(0, -'.md'.length));
  const sorted = [...order, ...names.filter((name) => !order.includes(name)).sort()];
  return sorted.map((name) => ({
    text: titleOf(`${folder}/${name}.md`),
    link: `/${folder}/${name}`,
  }));
};

const titleOf = (path: string) =>
  /^# (.+)$/m.exec(readFileSync(join(import.meta.dirname, '..', path), 'utf8'))?.[1] ?? path;

export default withMermaid({
  title: 'Parley',
  description: 'A self-hosted real-time voice gateway',
  // The gateway serves the site at this path.
  base: '/help/',
  cleanUrls: false,
  srcExclude: ['node_modules/**'],
  markdown: {
    // Vue must not interpolate the placeholders `{{name}}` in inline code.
    config: ({ renderer }) => {
      const render = renderer.rules.code_inline;
      renderer.rules.code_inline = (tokens, index, ...rest) => {
        tokens[index]?.attrSet('v-pre', '');
        return render?.(tokens, index, ...rest) ?? '';
      };
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    nav: [
      { text: 'Tutorials', link: '/tutorials/first-agent' },
      { text: 'How-to', link: '/how-to/twilio' },
      { text: 'Reference', link: '/reference/settings' },
      { text: 'Explanation', link: '/explanation/turn-taking' },
    ],
    sidebar: [
      {
        text: 'Tutorials',
        items: pagesOf('tutorials', [
          'first-agent',
          'connect-an-llm',
          'phone-number',
          'knowledge-base',
          'call-your-api',
        ]),
      },
      { text: 'How-to guides', items: pagesOf('how-to') },
      { text: 'Reference', items: pagesOf('reference') },
      { text: 'Explanation', items: pagesOf('explanation') },
      {
        text: 'More',
        items: [
          { text: 'Troubleshooting', link: '/troubleshooting' },
          { text: 'Benchmarks', link: '/benchmarks' },
        ],
      },
      { text: 'Contributing', items: [...pagesOf('contributing'), ...pagesOf('contributing/adr')] },
    ],
  },
  // The gateway allows exactly these inline scripts of the site (Content-Security-Policy).
  buildEnd: ({ outDir }: SiteConfig) => {
    const hashes = new Set<string>();
    for (const name of readdirSync(outDir, { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.html')) continue;
      const html = readFileSync(join(outDir, name), 'utf8');
      for (const [, code] of html.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)) {
        hashes.add(
          `'sha256-${createHash('sha256')
            .update(code ?? '')
            .digest('base64')}'`,
        );
      }
    }
    mkdirSync(outDir, { recursive: true });
    writeFileSync(join(outDir, 'inline-scripts.json'), JSON.stringify([...hashes].sort()));
  },
});
