import express, { Router } from 'express';

/** Everything that the page uses comes from this server; sound is played from memory. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self' ws: wss:",
  "media-src 'self' blob:",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The page at `/` and its files, served as they are from `folder`. */
export function pageRoutes(folder: string): Router {
  const router = Router({ caseSensitive: true });
  router.use(
    express.static(folder, {
      redirect: false,
      maxAge: 0,
      setHeaders: (response) => {
        (response as express.Response).locals.route = 'page';
        response.setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY);
        response.setHeader('Cache-Control', 'no-cache');
      },
    }),
  );
  return router;
}
