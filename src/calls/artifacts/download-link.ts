import type { SignedLinks } from '../../platform/http/signed-links.js';

export interface DownloadLinkParts {
  readonly links: SignedLinks;
  /** `http(s)://host[:port]`; undefined where it is not known. */
  readonly origin: () => string | undefined;
}

/** A link to a file of a call, which needs no key; undefined where the gateway does not know its address. */
export function downloadLink(
  { links, origin }: DownloadLinkParts,
  callId: string,
  file: string,
): string | undefined {
  const address = origin();
  return address && address + links.sign(`/api/v1/downloads/${callId}/${file}`);
}
