/** Layers, from the lowest to the highest. A layer imports only itself and lower layers. */
const MEDIA = '^media/';
const RUNTIME = '^agents-runtime/';
const CONTROL_PLANE = '^src/';
const PRODUCT = '^(media|agents-runtime|src)/';
const PAGE = '^src/web/';

/** Low-level folders of media. They import only files directly in media. */
const MEDIA_BASE = ['async', 'audio', 'runtime', 'models'];
/** Folders of media that import only the base, and never each other. */
const MEDIA_MIDDLE = ['codec', 'vad', 'noise', 'turn-detection', 'stt', 'embeddings', 'text'];
const MEDIA_TOP = ['tts', 'recording'];

/**
 * The folders that each folder of agents-runtime may import, besides itself and media. Observers replay
 * recorded turn events through the reducer.
 */
const RUNTIME_FOLDERS = {
  contract: [],
  timing: ['contract'],
  turn: ['contract'],
  input: ['contract', 'timing'],
  reply: ['contract', 'timing'],
  output: ['contract', 'timing', 'reply'],
  providers: ['contract', 'timing'],
  transports: ['contract', 'timing'],
  session: ['contract', 'timing', 'turn', 'input', 'reply', 'output'],
  observers: ['contract', 'timing', 'turn', 'output', 'session'],
};

/** Folders of src, from the lowest to the highest layer. A layer imports only itself and lower layers. */
const SRC_LAYERS = ['config', 'platform', 'features', 'calls', 'channels', 'composition'];

/** The folders of src/platform that each folder may import, besides itself. */
const PLATFORM_FOLDERS = {
  egress: [],
  process: [],
  db: [],
  storage: [],
  jobs: ['db', 'storage'],
  secrets: ['db', 'storage'],
  http: ['jobs', 'secrets', 'db', 'storage'],
  observability: ['http', 'jobs', 'secrets', 'db', 'storage'],
  cluster: ['http', 'jobs', 'secrets', 'db', 'storage'],
};

/** The same for src/features. */
const FEATURE_FOLDERS = {
  ownership: [],
  auth: ['ownership'],
  agents: ['ownership'],
  dictionaries: ['ownership'],
  'model-catalogue': ['ownership'],
  'phone-numbers': ['ownership'],
  knowledge: ['ownership', 'agents'],
  'agent-tools': ['ownership', 'agents', 'knowledge/extraction'],
  voices: ['ownership', 'agents'],
  webhooks: ['ownership', 'agents', 'voices'],
  speech: ['ownership', 'voices', 'model-catalogue'],
};

/** The same for src/calls. */
const CALL_FOLDERS = {
  store: [],
  session: ['store'],
  retention: ['store'],
  dashboard: ['store'],
  admission: ['store', 'session'],
  commands: ['store', 'session', 'connection'],
  providers: ['store', 'session'],
  recordings: ['store', 'session'],
  monitoring: ['store', 'session'],
  connection: ['store', 'session', 'admission'],
  outbound: ['store', 'session', 'admission', 'commands'],
  inbound: ['store', 'session', 'admission'],
  artifacts: ['store', 'session', 'recordings'],
  history: ['store', 'session', 'artifacts', 'providers'],
};

/** A folder of a layer may import itself and `allowed` folders of the layer. */
const folderRule = (layer, folder, allowed) => ({
  name: `${layer.replaceAll('/', '-')}-${folder}-imports-downwards`,
  comment: `${layer}/${folder} imports of ${layer}: ${allowed.join(', ') || 'nothing'}.`,
  severity: 'error',
  from: { path: `^${layer}/${folder}/` },
  to: { path: `^${layer}/[^/]+/`, pathNot: `^${layer}/(${[folder, ...allowed].join('|')})/` },
});

const folderRules = (layer, folders) =>
  Object.entries(folders).map(([folder, allowed]) => folderRule(layer, folder, allowed));

/** The rest of src that each file or folder may import. */
const srcRule = (name, from, allowed) => ({
  name: `src-${name}-imports-downwards`,
  comment: `src/${name} imports of src: ${allowed.join(', ') || 'nothing'}.`,
  severity: 'error',
  from: { path: `^src/${from}` },
  to: { path: '^src/', pathNot: `^src/(${[from, ...allowed].join('|')})` },
});

/** A folder of `layer` imports no other folder of it. */
const separateFoldersRule = (layer) => ({
  name: `${layer.replaceAll('/', '-')}-folders-are-separate`,
  comment: `A folder of ${layer} imports no other folder of it.`,
  severity: 'error',
  from: { path: `^${layer}/([^/]+)/` },
  to: { path: `^${layer}/`, pathNot: `^${layer}/$1/` },
});

const FOLDER_RULES = [
  ...folderRules('agents-runtime', RUNTIME_FOLDERS),
  ...MEDIA_BASE.map((folder) => folderRule('media', folder, [])),
  ...MEDIA_MIDDLE.map((folder) => folderRule('media', folder, MEDIA_BASE)),
  ...MEDIA_TOP.map((folder) => folderRule('media', folder, [...MEDIA_BASE, ...MEDIA_MIDDLE])),
  ...folderRules('src/platform', PLATFORM_FOLDERS),
  ...folderRules('src/features', FEATURE_FOLDERS),
  ...folderRules('src/calls', CALL_FOLDERS),
  separateFoldersRule('src/channels'),
  separateFoldersRule('tools'),
];

const SRC_RULES = [
  ...SRC_LAYERS.map((layer, index) =>
    srcRule(layer, `${layer}/`, [
      ...SRC_LAYERS.slice(0, index).map((lower) => `${lower}/`),
      ...(layer === 'composition' ? ['server\\.ts$'] : []),
    ]),
  ),
  srcRule('server', 'server\\.ts$', ['platform/']),
  srcRule('main', 'main\\.ts$', [
    'composition/container\\.ts$',
    'config/',
    'platform/',
    'features/auth/first-account\\.ts$',
  ]),
  {
    name: 'only-main-imports-composition',
    comment: 'Declare a port and receive an implementation through the constructor.',
    severity: 'error',
    from: { path: '^(src|tools)/', pathNot: '^src/(main\\.ts$|composition/)' },
    to: { path: '^src/composition/' },
  },
  {
    name: 'config-imports-languages-only',
    severity: 'error',
    from: { path: '^src/config/' },
    to: { path: '^(media|agents-runtime)/', pathNot: '^media/languages\\.ts$' },
  },
  {
    name: 'tools-are-entry-points',
    comment: 'Move shared code to src, agents-runtime or media.',
    severity: 'error',
    from: { path: PRODUCT },
    to: { path: '^tools/' },
  },
];

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...FOLDER_RULES,
    ...SRC_RULES,
    {
      name: 'media-is-the-lowest-layer',
      comment: 'Declare an interface in media and receive an implementation.',
      severity: 'error',
      from: { path: MEDIA },
      to: { path: '^(agents-runtime|src|test|scripts)/' },
    },
    {
      name: 'agents-runtime-imports-media-only',
      comment: 'Declare an interface in agents-runtime and receive an implementation.',
      severity: 'error',
      from: { path: RUNTIME },
      to: { path: '^(src|test|scripts)/' },
    },
    {
      name: 'contract-runs-no-code-of-media',
      severity: 'error',
      from: { path: '^agents-runtime/contract/' },
      to: { path: MEDIA, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'turn-is-a-pure-reducer',
      comment: 'Return an effect; session carries it out.',
      severity: 'error',
      from: { path: '^agents-runtime/turn/' },
      to: { path: MEDIA, pathNot: '^media/(languages|text/words)\\.ts$' },
    },
    {
      name: 'timing-imports-base-of-media-only',
      severity: 'error',
      from: { path: '^agents-runtime/timing/' },
      to: { path: MEDIA, pathNot: '^media/(errors\\.ts$|async/)' },
    },
    {
      name: 'output-imports-tokens-and-phrases-of-reply-only',
      severity: 'error',
      from: { path: '^agents-runtime/output/' },
      to: {
        path: '^agents-runtime/reply/',
        pathNot: '^agents-runtime/reply/(reply-token\\.ts$|phrases/)',
      },
    },
    {
      name: 'observers-run-no-code-of-output',
      severity: 'error',
      from: { path: '^agents-runtime/observers/' },
      to: { path: '^agents-runtime/output/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'text-runs-no-threads-except-pls',
      comment: 'Text processing is synchronous. Only the PLS parser runs on a thread.',
      severity: 'error',
      from: { path: '^media/text/', pathNot: '^media/text/pls/' },
      to: { path: '^media/runtime/' },
    },
    {
      name: 'livekit-client-in-the-bridge-only',
      comment:
        'The native client runs in the bridge process, so that its crash ends no other call.',
      severity: 'error',
      from: { path: PRODUCT, pathNot: '^agents-runtime/transports/livekit/bridge/' },
      to: { path: '(^|/)node_modules/@livekit/rtc-node' },
    },
    {
      name: 'session-runs-no-code-of-media',
      comment: 'Import types; the engines are passed to the constructor.',
      severity: 'error',
      from: { path: '^agents-runtime/session/' },
      to: {
        path: MEDIA,
        pathNot: '^media/(languages|text/words)\\.ts$',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'src-imports-no-tests',
      comment: 'The product must not depend on test code or on build scripts.',
      severity: 'error',
      from: { path: CONTROL_PLANE },
      to: { path: '^(test|scripts)/' },
    },
    {
      name: 'tests-are-entry-points',
      comment: 'Move what several tests share to test/support.',
      severity: 'error',
      from: {},
      to: { path: '\\.test\\.ts$' },
    },
    {
      name: 'page-imports-no-server-code',
      comment: 'The browser loads the page, media and agents-runtime without a bundler.',
      severity: 'error',
      from: { path: PAGE },
      to: { pathNot: [PAGE, MEDIA, RUNTIME] },
    },
    {
      name: 'no-server-code-imports-the-page',
      severity: 'error',
      from: { path: PRODUCT, pathNot: PAGE },
      to: { path: PAGE },
    },
    {
      name: 'media-opens-no-sockets',
      comment: 'media is free of sockets, HTTP servers and databases.',
      severity: 'error',
      from: { path: MEDIA },
      to: {
        path: [
          '^(node:)?(http|https|http2|net|tls|dgram)$',
          '(^|/)node_modules/(@types/)?(ws|express|pg|pg-copy-streams|knex|graphile-worker)(/|$)',
        ],
      },
    },
    {
      name: 'agents-runtime-opens-no-database',
      comment: 'Declare a port; the control plane implements it.',
      severity: 'error',
      from: { path: RUNTIME },
      to: {
        path: '(^|/)node_modules/(@types/)?(express|pg|pg-copy-streams|knex|graphile-worker)(/|$)',
      },
    },
    {
      name: 'onnx-runtime-in-one-file-only',
      comment: 'Use OnnxModel of media/runtime/onnx-session.ts.',
      severity: 'error',
      from: { path: PRODUCT, pathNot: '^media/runtime/onnx-session\\.ts$' },
      to: { path: '(^|/)node_modules/onnxruntime-' },
    },
    {
      name: 'no-development-packages-in-the-product',
      comment: 'A container image installs only `dependencies`.',
      severity: 'error',
      from: { path: PRODUCT },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-unresolvable-import',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-file-cycles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-folder-cycles',
      comment: 'Imports between folders point in one direction.',
      severity: 'error',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|lint|coverage|data)/' },
    moduleSystems: ['es6', 'cjs'],
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
