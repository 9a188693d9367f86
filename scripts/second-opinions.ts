/**
 * Opinions of others: Schemathesis on /openapi.json of the reference server, Python clients unmodified
 * (openai, LangChain, a LiteLLM proxy in front), and in-toto on the statement of a certification. Their packages are installed in a virtual environment in a
 * temporary folder; what cannot be had is named and left out.
 *
 *   npm run second-opinions [-- --venv FOLDER --only schemathesis --examples 50]
 */
import { spawn, spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type ChildServer, childServer } from '../harness/load/child-server.ts'
import { freePort } from '../reference-server/test-support/free-port.ts'
import { waitForPort } from './server/wait-for-port.ts'

const { values } = parseArgs({
  options: {
    venv: { type: 'string' },
    only: { type: 'string', multiple: true },
    examples: { type: 'string', default: '30' },
  },
})
const root = fileURLToPath(new URL('..', import.meta.url))
const own = (name: string) => join(root, 'scripts/second-opinions', name)
const key = 'sk-opinions-0123456789abcdef'
const folder = mkdtempSync(join(tmpdir(), 'chatgen-opinions-'))
const venv = values.venv ?? join(folder, 'venv')
const hooks = { PYTHONPATH: own('.'), SCHEMATHESIS_HOOKS: 'hooks' }
const leftOut: string[] = []
let failed = 0

const opinions: Readonly<Record<string, () => Promise<void>>> = {
  schemathesis: async () => {
    if (isHad('schemathesis')) await withServer([], runSchemathesis)
  },
  openai: async () => {
    if (isHad('openai')) await withServer(['--script', own('script.yaml')], runClient('openai'))
  },
  langchain: async () => {
    if (!isHad('langchain-openai')) return
    await withServer(['--script', own('script.yaml')], runClient('langchain'))
  },
  litellm: async () => {
    if (!isHad('openai') || !isHad('litellm[proxy]')) return
    await withServer(['--script', own('script.yaml')], runBehindProxy)
  },
  'in-toto': async () => {
    if (isHad('in-toto-attestation')) readStatement()
  },
}

try {
  for (const [name, run] of Object.entries(opinions)) {
    if (values.only === undefined || values.only.includes(name)) await run()
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
for (const reason of leftOut) console.log(`left out: ${reason}`)
console.log(failed === 0 ? 'no objection' : `${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

async function withServer(
  flags: readonly string[],
  use: (server: ChildServer) => Promise<void> | void,
): Promise<void> {
  const bin = join(root, 'bin/chatgen.cjs')
  const server = await childServer([bin, 'serve', '--port', '0', '--key', key, ...flags])
  try {
    await use(server)
  } finally {
    await server.stop()
  }
}

/**
 * Every check of it, and sequences of operations along the links of the document. Invalid data is checked
 * outside of sequences, because Schemathesis 4.32.5 does not apply the exception of schemathesis.toml in them.
 */
function runSchemathesis({ url }: ChildServer): void {
  const limits = ['--max-examples', values.examples, '--seed', '1', '--request-timeout', '30']
  const headers = ['--header', `Authorization: Bearer ${key}`, '--no-color']
  const runs = [
    ['--phases', 'examples,coverage,fuzzing', '--checks', 'all'],
    ['--phases', 'stateful', '--checks', 'all', '--exclude-checks', 'negative_data_rejection'],
  ]
  const codes = runs.map((phases) =>
    run('schemathesis', [
      ...['--config-file', own('schemathesis.toml'), 'run', `${url}/openapi.json`],
      ...[...phases, ...limits, ...headers],
    ]),
  )
  step(
    'Schemathesis, all checks, stateful',
    codes.every((code) => code === 0),
  )
}

function runClient(name: 'openai' | 'langchain') {
  return ({ url }: ChildServer): void => {
    const code = run('python', [own('clients.py'), name, `${url}/api/openai`])
    step(`${name} of Python`, code === 0)
  }
}

/** The openai client asks a LiteLLM proxy, which asks the server. */
async function runBehindProxy({ url }: ChildServer): Promise<void> {
  const config = join(folder, 'litellm.json')
  const route = { model: 'openai/SVC-Main', api_base: `${url}/api/openai`, api_key: key }
  writeFileSync(
    config,
    JSON.stringify({
      model_list: [{ model_name: 'SVC-Main', litellm_params: route }],
      general_settings: { master_key: key },
    }),
  )
  const port = await freePort()
  const place = ['--config', config, '--host', '127.0.0.1', '--port', String(port)]
  const proxy = spawn(program('litellm'), [...place, '--telemetry', 'False'], {
    stdio: 'ignore',
    env: environment(),
  })
  const isReady = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/health/liveliness`).catch(() => null)
    return answer?.ok === true
  }
  try {
    if (!(await waitForPort(port, { timeoutMs: 120_000, everyMs: 500, child: proxy, isReady }))) {
      step('LiteLLM starts', false)
      return
    }
    const code = run('python', [own('clients.py'), 'openai', `http://127.0.0.1:${port}`, 'proxied'])
    step('openai of Python through a LiteLLM proxy', code === 0)
  } finally {
    const ended = once(proxy, 'exit')
    if (proxy.exitCode === null && proxy.kill()) await ended
  }
}

/** The protocol buffers of in-toto and its validation read the statement of a certification. */
function readStatement(): void {
  const at = (name: string) => join(folder, name)
  const { privateKey } = generateKeyPairSync('ed25519')
  writeFileSync(at('key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 })
  const product = { vendor: 'Example AG', name: 'Chat', version: '1.0', contact: 'a@example.org' }
  writeFileSync(at('product.json'), JSON.stringify(product))
  const inputs = ['--product', at('product.json'), '--key', at('key.pem'), '--out', at('bundle')]
  const command = ['certify', '--reference', '--profile', 'openai', '--quiet', ...inputs]
  const args = [join(root, 'bin/chatgen.cjs'), ...command, '--challenge', 'second-opinion-5f2c81d0']
  const isCertified = spawnSync(process.execPath, args, { stdio: 'inherit' }).status === 0
  const code = isCertified ? run('python', [own('statement.py'), at('bundle')]) : null
  step('in-toto reads the statement of a certification', code === 0)
}

/** Installs a package of Python unless it is there; says why it is left out if that fails. */
function isHad(name: string): boolean {
  if (leftOut.some((reason) => reason.startsWith(`${name} `))) return false
  if (spawnSync(program('python'), ['--version']).status !== 0) {
    mkdirSync(venv, { recursive: true })
    const made = spawnSync('python3', ['-m', 'venv', venv], { encoding: 'utf8' })
    if (made.status !== 0) {
      leftOut.push(`${name} (no virtual environment of Python: ${lastLine(made)})`)
      return false
    }
  }
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', name]
  const ended = spawnSync(program('python'), pip, { encoding: 'utf8', timeout: 480_000 })
  if (ended.status === 0) return true
  leftOut.push(`${name} (pip cannot install it: ${lastLine(ended)})`)
  return false
}

function lastLine({ stdout, stderr, error }: ReturnType<typeof spawnSync>): string {
  const text = `${stdout ?? ''}${stderr ?? ''}`.trim()
  return text.split('\n').at(-1) || String(error ?? 'no output')
}

function program(name: string): string {
  return join(venv, 'bin', name)
}

function run(name: string, args: readonly string[]): number | null {
  const options = { stdio: 'inherit', cwd: folder, env: environment(), timeout: 900_000 } as const
  return spawnSync(program(name), args, options).status
}

function environment(): NodeJS.ProcessEnv {
  return { ...process.env, OPENAI_API_KEY: key, PYTHONDONTWRITEBYTECODE: '1', ...hooks }
}

function step(name: string, holds: boolean): void {
  console.log(`${holds ? 'ok  ' : 'FAIL'} ${name}`)
  if (!holds) failed++
}
