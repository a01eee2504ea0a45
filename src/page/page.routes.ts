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

/** What the page's audio shares with the gateway; nothing else of `media` is served. */
const MEDIA_MODULES = /^\/(errors|web-assembly|resample\/[a-z-]+)\.js$/;

export interface PageFolders {
  /** The page's files, served as they are. */
  readonly page: string;
  /** The compiled `media`. */
  readonly media: string;
}

/** The page at `/` and its files. */
export function pageRoutes(folders: PageFolders): Router {
  const router = Router({ caseSensitive: true });
  const media = files(folders.media);
  router.use('/media', (request, response, next) => {
    if (MEDIA_MODULES.test(request.path)) media(request, response, next);
    else next();
  });
  router.use(files(folders.page));
  return router;
}

function files(folder: string): express.Handler {
  return express.static(folder, {
    redirect: false,
    maxAge: 0,
    setHeaders: (response) => {
      (response as express.Response).locals.route = 'page';
      response.setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY);
      response.setHeader('Cache-Control', 'no-cache');
    },
  });
}
