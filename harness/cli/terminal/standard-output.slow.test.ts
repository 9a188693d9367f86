import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { bin, emptyFolder, endsAtSlip, failing, slip, start } from '../test-support/chatgen.ts'
import { startModelsServer, withKey } from '../test-support/servers.ts'

vi.setConfig({ testTimeout: 120_000 })

/** Shell redirections without a reader of standard output; the verdict is in the files. */

const ended = 'chatgen: standard output cannot be written'

async function check(url: string, redirection: string, rows = 'OAI-MODELS-01') {
  const cwd = emptyFolder()
  const script = `"$NODE" "$BIN" check ${url} --only ${rows} --out results --quiet ${redirection}`
  const { CI: _, ...inherited } = process.env
  const child = spawn('bash', ['-c', `set -o pipefail; ${script}`], {
    cwd,
    env: { ...inherited, NODE: process.execPath, BIN: bin, ...withKey, NODE_ENV: '' },
  })
  let stderr = ''
  child.stderr.on('data', (bytes) => (stderr += bytes))
  child.stdout.resume()
  const code = await new Promise((resolve) => child.on('close', resolve))
  const report = JSON.parse(readFileSync(join(cwd, 'results', 'report.json'), 'utf8'))
  return { code, stderr, outcome: report.outcome }
}

describe.runIf(existsSync('/dev/full'))('the exit code is that of the verdict', () => {
  test.each([
    ['closed', '>&-', 0],
    ['full', '>/dev/full', 1],
    ['not for writing', '1</dev/null', 1],
    ['of a reader that leaves', '2>&1 | head -c 0', 0],
    ['full, as standard error', '>/dev/full 2>/dev/full', 0],
  ])('with a standard output that is %s', async (_, redirection, lines) => {
    await using server = await startModelsServer()
    const { code, stderr, outcome } = await check(server.url, redirection)
    expect([code, outcome]).toEqual([0, 'conforms'])
    expect(stderr.split(ended)).toHaveLength(lines + 1)
    expect(stderr).not.toContain('internal error')
  })

  test('that is no pass', async () => {
    await using server = await startModelsServer({ open: true })
    const { code, outcome } = await check(server.url, '>/dev/full', 'OAI-AUTH-*')
    expect([code, outcome]).toEqual([1, 'violated'])
  })
})

/** Uncaught errors end with 4, internal error, and never look like a verdict. */

test.each([
  ['a rejection', slip],
  ['an exception', `throw new Error('a slip of ours')`],
])('%s that nobody catches ends with 4', async (_, statement) => {
  const run = start(['serve', '--port', '0'], failing(statement))
  await run.shows('Listening')
  await endsAtSlip(run)
})

describe('a reader who has had enough', () => {
  test('of a list is no fault', async () => {
    expect(await firstLine(['serve', '--list-faults'])).toEqual({ code: 0, stderr: '' })
  })

  test('of a report changes no exit code', async () => {
    await using server = await startModelsServer({ open: true })
    const target = join(emptyFolder(), 'target.yaml')
    writeFileSync(target, `baseUrl: ${server.url}\n`)
    const args = ['check', '--target', target, '--only', 'OAI-AUTH-01']
    expect(await firstLine(args)).toEqual({ code: 1, stderr: '' })
  })
})

/** Reads nothing at all: the pipe is closed before the first word. */
async function firstLine(args: readonly string[]) {
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: '/tmp',
    env: { PATH: process.env['PATH'], ...withKey, CHATGEN_OUT: `/tmp/chatgen-pipe-${process.pid}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stdout.destroy()
  let stderr = ''
  child.stderr.on('data', (bytes) => {
    stderr += bytes
  })
  const code = await new Promise((resolve) => child.on('close', resolve))
  return { code, stderr }
}
