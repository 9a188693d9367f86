import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { chatgen, emptyFolder, failing, start } from '../test-support/chatgen.ts'
import { key, startModelsServer } from '../test-support/models-server.ts'

/** Uncaught errors end with 4, internal error, and never look like a verdict. */

const bin = fileURLToPath(new URL('../../../bin/chatgen.cjs', import.meta.url))
const withKey = { CHATGEN_API_KEY: key }

describe('a fault that nobody catches ends with 4', () => {
  test.each([
    ['a rejection', `Promise.reject(new Error('a slip of ours'))`],
    ['an exception', `throw new Error('a slip of ours')`],
  ])('%s while nothing else happens', async (_, statement) => {
    const run = start(['serve', '--port', '0'], failing(statement))
    await run.shows('Listening')
    run.child.kill('SIGUSR2')
    const { code, stderr } = await run.ended
    expect(stderr).toContain('internal error, please report it')
    expect(stderr).toContain('a slip of ours')
    expect(code).toBe(4)
  })
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
    expect((await chatgen(args, withKey)).code).toBe(1)
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
