import type { SignedLinks } from '../../platform/http/signed-links.js';

export interface DownloadLinkParts {
  readonly links: SignedLinks;
  /** `http(s)://host[:port]`; undefined where no absolute URL is known. */
  readonly origin: () => string | undefined;
}

/** A signed link to a file of a call; undefined where no absolute URL is known. */
export function downloadLink(
  { links, origin }: DownloadLinkParts,
  callId: string,
  file: string,
): string | undefined {
  const address = origin();
  return address && address + links.sign(`/api/v1/downloads/${callId}/${file}`);
}
