import express, { Router } from 'express';

/** Everything that the page uses comes from this server; sound is played from memory. */
function contentSecurityPolicy(connectSources: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src ${connectSources}`,
    "media-src 'self' blob:",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** A host of a URL: a name or an address, with or without a port. */
const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i;

/**
 * Where the page connects to: its own host, for sockets too, which some browsers do not take for
 * 'self'. A proxy may change the header Host; PUBLIC_URL names the host that the browser knows.
 */
function connectSources({ host }: express.Request, publicUrl: string | undefined): string {
  const hosts = new Set([host, publicUrl && new URL(publicUrl).host]);
  const sockets = [...hosts]
    .filter((name): name is string => name !== undefined && HOST.test(name))
    .flatMap((name) => [`ws://${name}`, `wss://${name}`]);
  return ["'self'", ...sockets].join(' ');
}

/** What the page's audio shares with the gateway; nothing else of `media` is served. */
const MEDIA_MODULES = /^\/(errors|audio\/(resampler|filter-bank|fir-kernel|web-assembly))\.js$/;

export interface PageFolders {
  /** The page's files, served as they are. */
  readonly page: string;
  /** The compiled `media`. */
  readonly media: string;
  /** PUBLIC_URL. */
  readonly publicUrl?: string | undefined;
}

/** The page at `/` and its files. */
export function pageRoutes(folders: PageFolders): Router {
  const router = Router({ caseSensitive: true });
  const { publicUrl } = folders;
  const media = files(folders.media, publicUrl);
  router.use('/media', (request, response, next) => {
    if (MEDIA_MODULES.test(request.path)) media(request, response, next);
    else next();
  });
  router.use(files(folders.page, publicUrl));
  return router;
}

function files(folder: string, publicUrl: string | undefined): express.Handler {
  return express.static(folder, {
    redirect: false,
    maxAge: 0,
    setHeaders: (response) => {
      const { req: request, locals } = response as express.Response;
      locals.route = 'page';
      const policy = contentSecurityPolicy(connectSources(request, publicUrl));
      response.setHeader('Content-Security-Policy', policy);
      response.setHeader('Cache-Control', 'no-cache');
    },
  });
}
