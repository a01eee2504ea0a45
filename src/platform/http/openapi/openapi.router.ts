import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import express, { Router } from 'express';
import type { JsonSchema } from './json-schema.js';

/** Swagger UI needs inline styles. Scripts are loaded from this server only. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const DOCS_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
</head>
<body>
<div id="docs"></div>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

const START_SCRIPT = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  validatorUrl: null,
});
`;

const ASSETS = /^\/(swagger-ui\.css|swagger-ui-bundle\.js)$/;

/** `/openapi.json`, and `/docs` with all of its files. */
export function openApiRouter(document: JsonSchema): Router {
  const router = Router({ caseSensitive: true });
  const openapi = JSON.stringify(document);
  const require = createRequire(import.meta.url);
  const folder = dirname(require.resolve('swagger-ui-dist/package.json'));
  const files = express.static(folder, { index: false, fallthrough: false, maxAge: '1h' });

  router.get('/openapi.json', (_request, response) => {
    response.locals.route = '/openapi.json';
    response.type('application/json').send(openapi);
  });
  router.get('/docs', (_request, response) => {
    response.locals.route = '/docs';
    response.set('Content-Security-Policy', CONTENT_SECURITY_POLICY).type('html').send(DOCS_PAGE);
  });
  router.get('/docs/start.js', (_request, response) => {
    response.locals.route = '/docs';
    response.type('text/javascript').send(START_SCRIPT);
  });
  router.use('/docs/assets', (request, response, next) => {
    response.locals.route = '/docs';
    if (ASSETS.test(request.path)) files(request, response, next);
    else next();
  });
  return router;
}
