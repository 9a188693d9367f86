/**
 * The import table, folder by folder: an import that is not listed is forbidden. `npm run docs` writes
 * it into ARCHITECTURE.md.
 */

const own = (...rooms) => rooms.map((room) => `^${room}(/|[.]ts$)`)
const pkg = (...names) => names.map((name) => `^node_modules/${name}/`)

const rooms = {
  contract: pkg('zod'),
  'harness/judges': own('contract'),
  fixtures: [...own('contract'), ...pkg('@faker-js/faker')],
  reports: [...own('contract'), ...pkg('zod', 'chalk', 'hdr-histogram-js', 'uplot')],
  'harness/client': own('contract', 'harness/judges/sse'),
  'harness/conformance': [
    ...own('contract', 'harness/judges', 'harness/client', 'harness/explore', 'fixtures'),
    ...pkg('vitest', 'yaml', 'zod', 'fastest-levenshtein', 'covertable'),
  ],
  'harness/explore': own('contract', 'harness/judges', 'harness/client', 'harness/conformance'),
  suites: own('contract', 'fixtures', 'harness/conformance/scenario'),
  'harness/load': [
    ...own('contract', 'reports/load/model', 'harness/judges', 'harness/client', 'fixtures'),
    ...pkg('undici', 'hdr-histogram-js', 'autocannon', 'zod', 'yaml'),
  ],
  'harness/capacity': own(
    'contract',
    'reports/load/model',
    'reports/capacity/model',
    'harness/load',
  ),
  'harness/plan': own(
    'contract',
    'reports/load/model',
    'reports/capacity/model',
    'reports/plan/model',
    'harness/load',
    'harness/capacity',
  ),
  'harness/containers': [...own('contract', 'harness/conformance'), ...pkg('testcontainers')],
  'harness/certification': [
    ...own('contract', 'harness/client', 'harness/conformance', 'reports'),
    ...pkg('zod'),
  ],
  'reference-server': [
    ...own('contract', 'fixtures'),
    ...pkg('find-my-way', '@fastify/busboy', 'zod', 'minisearch', 'json-schema-faker', 'pg'),
  ],
  'harness/library': [
    ...own('contract', 'reports/load/model', 'harness/conformance', 'reference-server'),
    ...pkg('zod', 'vitest'),
  ],
  'harness/proof': own(
    'fixtures',
    'harness/conformance',
    'harness/explore',
    'harness/certification',
    'reference-server',
    'contract',
  ),
  scripts: [
    ...own(
      'contract',
      'fixtures',
      'reports',
      'reference-server',
      'harness/client',
      'harness/conformance',
      'harness/explore',
      'harness/load',
      'harness/capacity',
      'harness/plan',
      'harness/certification',
      'harness/proof',
    ),
    '^package.json',
    ...pkg('@ai-sdk/openai-compatible', '@langchain/openai', 'ai'),
    ...pkg('openai', 'oxc-parser', 'playwright-core', 'undici', 'vitest', 'yaml', 'zod'),
  ],
}

const tests = '\\.test\\.ts$|/test-support/'

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...Object.entries(rooms).map(([room, allowed]) => ({
      name: `imports-of-${room.replace('/', '-')}`,
      comment: `${room} may import only what ARCHITECTURE.md lists for it`,
      severity: 'error',
      from: { path: `^${room}/`, pathNot: tests },
      to: { pathNot: [`^${room}(/|$)`, ...allowed], dependencyTypesNot: ['core'] },
    })),
    {
      name: 'nobody-imports-the-cli',
      severity: 'error',
      from: { pathNot: ['^harness/cli/', '^bin/', tests] },
      to: { path: '^harness/cli/' },
    },
    {
      name: 'one-importer-of-vitest-node',
      comment: 'Only the runner drives vitest; scenarios see the scenario API',
      severity: 'error',
      from: { pathNot: ['^harness/conformance/', tests, '\\.config\\.ts$'] },
      to: { path: '^node_modules/vitest/dist/node' },
    },
    {
      name: 'the-server-knows-of-no-deviation',
      comment:
        'Who starts a server brings its deviations; with none, nothing of the folder is in it',
      severity: 'error',
      from: { path: '^reference-server/', pathNot: ['^reference-server/deviations/', tests] },
      to: { path: '^reference-server/deviations/' },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-orphan-packages', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['^dist/', tests] },
    parser: 'swc',
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.cjs', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
}
