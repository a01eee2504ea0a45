/** Layers, from the lowest to the highest. A layer imports only from itself and from those below. */
const MEDIA = '^media/';
const RUNTIME = '^agents-runtime/';
const CONTROL_PLANE = '^src/';
const PRODUCT = '^(media|agents-runtime|src)/';
const PAGE = '^src/page/public/';

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
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
      name: 'contract-imports-types-of-media-only',
      comment: 'Everything in agents-runtime may import contract, so it depends on nothing.',
      severity: 'error',
      from: { path: '^agents-runtime/contract/' },
      to: { path: PRODUCT, pathNot: '^(agents-runtime/contract|media)/' },
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
      to: {
        path: PRODUCT,
        pathNot: '^(agents-runtime/(contract|turn)/|media/(languages|text/words)\\.ts)',
      },
    },
    {
      name: 'input-receives-ports',
      comment: 'Receive a port or a callback; session connects the stages.',
      severity: 'error',
      from: { path: '^agents-runtime/input/' },
      to: { path: RUNTIME, pathNot: '^agents-runtime/(contract|timing|input)/' },
    },
    {
      name: 'session-connects-the-stages',
      comment: 'Observers, providers and transports reach a session through ports in contract.',
      severity: 'error',
      from: { path: '^agents-runtime/session/' },
      to: {
        path: RUNTIME,
        pathNot: '^agents-runtime/(contract|timing|turn|input|reply|output|session)/',
      },
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
