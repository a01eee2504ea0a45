import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import express, { Router } from 'express';

/** Written by the site's build: hashes of its inline scripts. */
const INLINE_SCRIPTS = 'inline-scripts.json';

/**
 * The documentation site at `/help`, if `npm run docs:build` has built it.
 * @param folder - the built site
 */
export function docsSiteRouter(folder: string): Router {
  const router = Router();
  const scripts = join(folder, INLINE_SCRIPTS);
  if (!existsSync(scripts)) return router;
  const hashes: readonly string[] = JSON.parse(readFileSync(scripts, 'utf8'));
  const policy = [
    "default-src 'none'",
    `script-src 'self' ${hashes.join(' ')}`,
    // The site generator and its diagrams use style attributes.
    "style-src 'self' 'unsafe-inline'",
    "font-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  router.use(
    '/help',
    express.static(folder, {
      extensions: ['html'],
      setHeaders: (response) => {
        (response as express.Response).locals.route = 'help';
        response.setHeader('Content-Security-Policy', policy);
        response.setHeader('Cache-Control', 'no-cache');
      },
    }),
  );
  return router;
}
