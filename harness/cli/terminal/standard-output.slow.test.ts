import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, expect, test, vi } from 'vitest'
import {
  bin,
  endsAtSlip,
  failing,
  inherited,
  slip,
  start,
  wordsOf,
  workplace,
} from '../test-support/chatgen.ts'
import { startModelsServer, withKey } from '../test-support/servers.ts'

vi.setConfig({ testTimeout: 120_000 })

/** Shell redirections; the verdict is in the files. */

const ended = 'chatgen: standard output cannot be written'

async function check(url: string, redirection: string) {
  const { folder: cwd, report } = workplace()
  const ended = await inShell(`check ${url} --only OAI-MODELS-01 --quiet ${redirection}`, cwd)
  return { ...ended, outcome: report().outcome }
}

function inShell(line: string, cwd: string) {
  const child = spawn('bash', ['-c', `set -o pipefail; "$NODE" "$BIN" ${line}`], {
    cwd,
    env: { ...inherited(/^CI$/), NODE: process.execPath, BIN: bin, ...withKey, NODE_ENV: '' },
  })
  child.stdout.resume()
  return endOf(child)
}

async function endOf(child: ChildProcess & { readonly stderr: Readable }) {
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
  return { code, stderr }
}

describe.runIf(existsSync('/dev/full'))('the exit code is 2 if output is lost', () => {
  test.each([
    ['closed', '>&-', 0, 0],
    ['full', '>/dev/full', 2, 1],
    ['not for writing', '1</dev/null', 2, 1],
    ['of a reader that leaves', '2>&1 | head -c 0', 0, 0],
    ['full, as standard error', '>/dev/full 2>/dev/full', 2, 0],
  ])('with a standard output that is %s', async (_, redirection, exitCode, lines) => {
    await using server = await startModelsServer()
    const { code, stderr, outcome } = await check(server.url, redirection)
    expect([code, outcome]).toEqual([exitCode, 'conforms'])
    expect(stderr.split(ended)).toHaveLength(lines + 1)
    expect(stderr).not.toContain('internal error')
  })

  test.each(['explain V3-IDEM-04', 'list', '--help'])(
    'also by the last write of %s',
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
])('%s that nobody catches ends with 4', async (_, statement) => {
  const run = start('serve --port 0', failing(statement))
  await run.shows('Listening')
  await endsAtSlip(run)
})

describe('a reader who has had enough', () => {
  test('of a list is no fault', async () => {
    expect(await firstLine('serve --list-faults')).toEqual({ code: 0, stderr: '' })
  })

  test('of a report changes no exit code', async () => {
    await using server = await startModelsServer({ open: true })
    const { at } = workplace({}, { 'target.yaml': `baseUrl: ${server.url}\n` })
    const line = `check --target ${at('target.yaml')} --only OAI-AUTH-01`
    expect(await firstLine(line)).toEqual({ code: 1, stderr: '' })
  })
})

/** Reads nothing at all: the pipe is closed before the first word. */
async function firstLine(line: string) {
  const child = spawn(process.execPath, [bin, ...wordsOf(line)], {
    cwd: '/tmp',
    env: { PATH: process.env['PATH'], ...withKey, CHATGEN_OUT: `/tmp/chatgen-pipe-${process.pid}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child.stdout.destroy()
  return endOf(child)
}
