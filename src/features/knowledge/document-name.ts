const MAX_NAME = 255;

/** What a client calls its document, as it may be stored: clients may call it anything. */
export function storableName(name: string): string {
  const plain = name.replace(/\p{Cc}|\p{Surrogate}/gu, '').trim();
  return [...plain].slice(0, MAX_NAME).join('');
}

/** The name that a document's metadata give it; empty where they give none. */
export function nameIn({ name }: Readonly<Record<string, unknown>>): string {
  return typeof name === 'string' ? storableName(name) : '';
}
