import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type RawServer, startRawServer } from '../../client/test-support/listen-on-loopback.ts'
import { environmentWithout } from '../../conformance/process.ts'
import { renderReport } from '../results/publish-report.ts'
import {
  bin,
  chatgen,
  endsAtSlip,
  failing,
  slip,
  start,
  wordsOf,
  workplace,
} from '../test-support/chatgen.ts'
import { startModelsServer, withKey } from '../test-support/servers.ts'
import { startInTerminal } from '../test-support/terminal.ts'
import { escapeWorkflowCommands } from './io.ts'

vi.setConfig({ testTimeout: 120_000 })

/** Shell redirections; the verdict is in the files. */

const ended = 'chatgen: standard output cannot be written'

function inShell(line: string, cwd: string) {
  const child = spawn('bash', ['-c', `set -o pipefail; "$NODE" "$BIN" ${line}`], {
    cwd,
    env: {
      ...environmentWithout(/^CI$/),
      NODE: process.execPath,
      BIN: bin,
      ...withKey,
      NODE_ENV: '',
    },
  })
  child.stdout.resume()
  return endOf(child)
}

async function endOf(child: ChildProcess & { readonly stderr: Readable }) {
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
  return { code, stderr }
}

describe.runIf(existsSync('/dev/full'))('lost output', () => {
  test.each([
    ['closed', '>&-', 0, 0],
    ['full', '>/dev/full', 2, 1],
    ['not for writing', '1</dev/null', 2, 1],
    ['of a reader that leaves', '2>&1 | head -c 0', 0, 0],
    ['full, as standard error', '>/dev/full 2>/dev/full', 2, 0],
  ])(
    'to a standard output that is %s (%s) ends with %i',
    async (_, redirection, exitCode, lines) => {
      await using server = await startModelsServer()
      const { folder, report } = workplace()
      const line = `check ${server.url} --only OAI-MODELS-01 --quiet ${redirection}`
      const { code, stderr } = await inShell(line, folder)
      expect([code, report().outcome]).toEqual([exitCode, 'conforms'])
      expect(stderr.split(ended)).toHaveLength(lines + 1)
      expect(stderr).not.toContain('internal error')
    },
  )

  test.each(['explain V3-IDEM-04', 'list', '--help'])(
    'in the last write of %s ends with 2',
    async (line) => {
      const { code, stderr } = await inShell(`${line} >/dev/full`, workplace().folder)
      expect(code).toBe(2)
      expect(stderr).toContain(ended)
    },
  )
})

/** Uncaught errors end with 4, internal error, and never look like a verdict. */

test.each([
  ['a rejection', slip],
  ['an exception', `throw new Error('a slip of ours')`],
])('%s without a handler ends with 4', async (_, statement) => {
  const run = start('serve --port 0', failing(statement))
  await run.shows('Listening')
  await endsAtSlip(run)
})

test.each([
  ['serve --list-faults', 0],
  ['check --target target.yaml --only OAI-AUTH-01', 1],
])('a reader that closes its pipe does not change the end of %s', async (line, code) => {
  await using server = await startModelsServer({ open: true })
  const { folder: cwd } = workplace({}, { 'target.yaml': `baseUrl: ${server.url}\n` })
  const child = spawn(process.execPath, [bin, ...wordsOf(line)], {
    cwd,
    env: { PATH: process.env['PATH'], ...withKey },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // Before the first write.
  child.stdout.destroy()
  expect(await endOf(child)).toEqual({ code, stderr: '' })
})

/** Status lines, headers and bodies of a hostile target, in what the real command prints. */

const attack = '::error::planted ##[error]planted \u009b31mred \u0085::warning::planted'
const json = JSON.stringify({
  error: { message: `\u001b[2J\r\n${attack}\n::set-output name=a::b\u202e` },
  detail: `::error::planted\n##[error]planted \u001b]0;title\u0007`,
})
const head = (status: string) =>
  `HTTP/1.1 ${status}\r\nretry-after: ${attack}\r\nwww-authenticate: ${attack}\r\nx-a: ${attack}\r\n`
const responses = {
  'a refusal': `${head(`403 ${attack}`)}content-type: application/json; x="${attack}"\r\ncontent-length: ${Buffer.byteLength(json)}\r\n\r\n${json}`,
  'a success with another media type': `${head(`200 ${attack}`)}content-type: ${attack}\r\nlocation: ${attack}\r\ncontent-length: ${Buffer.byteLength(json)}\r\n\r\n${json}`,
  'a broken status line': `HTTP/1.1 ${attack}\r\n\r\n`,
  'a broken head': `HTTP/1.1 200 OK\r\nx: \u001b[31m${attack}\r\n: ${attack}\r\n\r\n`,
}

describe.each(Object.entries(responses))('%s', (_, response) => {
  let server: RawServer
  beforeAll(async () => {
    server = await startRawServer((socket) => {
      const list = JSON.stringify({ object: 'list', data: [{ id: 'svc-main-model' }] })
      // The service must answer somewhere, or nothing is judged.
      const isModels = server.heads.at(-1)?.startsWith('GET /api/openai/models ') === true
      const ok = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${list.length}\r\n\r\n${list}`
      socket.end(Buffer.from(isModels ? ok : response, isModels ? 'utf8' : 'latin1'))
    })
  })
  afterAll(() => server.close())

  test.each([
    'check URL --only OAI-CHAT-* --only OAI-ERR-* --only V3-AUTH-*',
    'init URL --out - --timeout 2000',
    'load URL --rate 5 --arrival constant --duration 1s --surface openai',
  ])('makes %s print neither control sequences nor workflow commands', async (line) => {
    const { run, read } = workplace({ CHATGEN_API_KEY: 'sk-hostile-text', GITHUB_ACTIONS: 'true' })
    const { code, stdout, stderr } = await run(line.replace('URL', server.url))
    expect([0, 1, 3, 5, 6]).toContain(code)
    for (const output of [stdout, stderr]) {
      // A line feed is none of them.
      expect(output.match(/(?!\n)[\p{Cc}\p{Cf}]/gu)).toBeNull()
      expect(commandsIn(output)).toEqual([])
    }
    if (line.startsWith('check') && code !== 3)
      expect(read('chatgen-results/exchanges.ndjson')).toContain('POST')
  })
})

/** Lines that the runner of GitHub Actions would execute, as its ActionCommand parses them. */
function commandsIn(text: string): readonly string[] {
  return text.split('\n').filter((line) => /^\s*::/.test(line) || line.includes('##['))
}

test('workflow commands are escaped only on GitHub Actions', () => {
  const text = 'a\n  ::error::b\nc ##[error]d'
  expect(escapeWorkflowCommands(text, {})).toBe(text)
  expect(commandsIn(text)).toHaveLength(2)
  const escaped = escapeWorkflowCommands(text, { GITHUB_ACTIONS: 'true' })
  expect(escaped).toBe('a\n  \\x3a:error::b\nc #\\x23[error]d')
  expect(commandsIn(escaped)).toEqual([])
})

test('annotations are not escaped, unlike other workflow commands', () => {
  const printed: string[] = []
  const formats = ['console', 'github'].map((name) => ({ name, file: null, render: String }))
  const style = { color: false, width: 80, verbose: false }
  const print = (text: string) => void printed.push(text)
  renderReport('::error::b', { formats, out: null, style, print }, { write: () => {}, env: {} })
  expect(printed).toEqual(['\\x3a:error::b', '::error::b'])
})

/** Color settings: FORCE_COLOR, NO_COLOR, TERM and --no-color, in a pipe or not. */

const esc = '\u001b'
const { folder, read } = workplace()
let stdout: string

beforeAll(async () => {
  // A violation, because its message is from an assertion, which may be colored.
  await using server = await startModelsServer({ open: true })
  const env = { ...withKey, FORCE_COLOR: '1' }
  const line = `check ${server.url} --out results --profile openai --only OAI-AUTH-0*`
  const run = await chatgen(line, env, folder)
  expect(run.code).toBe(1)
  stdout = run.stdout
})

test('output in a pipe is colored by FORCE_COLOR=1, but stored files are not', () => {
  expect(stdout).toContain(`${esc}[`)
  expect(read('results/report.json')).not.toMatch(/u001b/i)
})

test.each<[Record<string, string>, string, boolean]>([
  [{}, '', false],
  [{ FORCE_COLOR: '1', NO_COLOR: '1' }, '', true],
  [{ FORCE_COLOR: '0' }, '', false],
  [{ FORCE_COLOR: '1' }, '--no-color', false],
])('output in a pipe with %j %s is colored: %j', async (env, flags, colored) => {
  const run = await chatgen(`report results ${flags}`, env, folder)
  expect(run.stdout).toContain('VIOLATED')
  expect(run.stdout.includes(esc)).toBe(colored)
})

test.each<[Record<string, string>, boolean]>([
  [{}, true],
  [{ NO_COLOR: '1' }, false],
  [{ NO_COLOR: '' }, true],
  [{ TERM: 'dumb' }, false],
])('output on a terminal with %j is colored: %j', async (env, colored) => {
  const run = startInTerminal('report results', { env, cwd: folder })
  await run.ended
  expect(run.raw()).toContain('VIOLATED')
  expect(run.raw().includes(`${esc}[3`)).toBe(colored)
})

test('output on a terminal has no spinner or cursor movement with TERM=dumb', async () => {
  await using server = await startModelsServer({ delayMs: 50 })
  const env = { ...withKey, TERM: 'dumb' }
  const run = startInTerminal(`check ${server.url} --only OAI-MODELS-01`, { env })
  await run.ended
  expect(run.raw()).toContain('CONFORMS')
  expect(run.raw()).not.toContain(esc)
})
