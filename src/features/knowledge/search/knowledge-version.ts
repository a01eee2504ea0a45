/** What a knowledge base's passages are at; what was kept of another state is out of date. */
export interface KnowledgeVersion {
  readonly version: number;
  readonly deletions: number;
}
