/** Matches paths against a template such as `/agent/{agent_id}/deploy`. A trailing slash is ignored. */
export class PathTemplate {
  readonly text: string;
  readonly #pattern: RegExp;

  constructor(text: string) {
    this.text = text;
    const pattern = withoutLastSlash(text)
      .split('/')
      .map((segment) => (isParameter(segment) ? '([^/]+)' : escapeRegExp(segment)))
      .join('/');
    this.#pattern = new RegExp(`^${pattern}/?$`);
  }

  matches(path: string): boolean {
    return this.#pattern.test(path);
  }

  /** The path in Express's notation. */
  get express(): string {
    return withoutLastSlash(this.text).replaceAll(/\{(\w+)\}/g, ':$1') || '/';
  }

  /** Orders fixed segments before parameters, so that `/agent/dashboard` does not match `/agent/{id}`. */
  static compare(left: PathTemplate, right: PathTemplate): number {
    const sortKey = (template: PathTemplate) => template.text.replaceAll(/\{\w+\}/g, '\uffff');
    return sortKey(left) < sortKey(right) ? -1 : sortKey(left) > sortKey(right) ? 1 : 0;
  }
}

function isParameter(segment: string): boolean {
  return segment.startsWith('{') && segment.endsWith('}');
}

function withoutLastSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path;
}

function escapeRegExp(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
