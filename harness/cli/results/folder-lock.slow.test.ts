import { spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { lockName } from '../../conformance/defaults.ts'
import { emptyFolder, workplace } from '../test-support/chatgen.ts'
import { startModelsServer, withKey } from '../test-support/servers.ts'

vi.setConfig({ testTimeout: 120_000 })

/** A pid that no process has: above the maximum of Linux and macOS. */
const nobody = 2 ** 22 + 1

function lockOf(pid: number, host = hostname()): string {
  return JSON.stringify({ pid, host, start: '1', command: 'check', since: '2026-01-01T00:00:00Z' })
}

describe('a folder in which a run writes', () => {
  test('is refused to all other commands that write results, and to no reader', async () => {
    await using server = await startModelsServer()
    const { start, ends, list, at } = workplace(withKey)
    // Outlasts all others.
    const load = start(`load ${server.url} --rate 1 --duration 300s --out same`)
    onTestFinished(() => void load.child.kill('SIGKILL'))
    await vi.waitUntil(() => existsSync(at('same/requests.ndjson')), { timeout: 60_000 })
    const before = list('same')
    const process = `process ${load.child.pid} (chatgen load, since 2`
    const err = `chatgen: --out: the folder same is in use by ${process}`
    for (const line of [
      `check ${server.url} --only OAI-MODELS-*`,
      `load ${server.url} --rate 1 --duration 1s`,
      `capacity ${server.url} --slo 'ttft.p95 < 1s'`,
    ])
      await ends(`${line} --out same`, 2, { out: /^$/, err })
    expect(list('same')).toEqual(before)
    load.child.kill('SIGINT')
    expect((await load.ended).code).toBe(130)
    expect(list('same')).not.toContain(lockName)
  })

  test('is free once its process is gone, however that ended', async () => {
    await using server = await startModelsServer()
    for (const left of [lockOf(nobody), lockOf(process.pid), '', '{"pid":']) {
      const { run, list } = workplace(withKey, { [lockName]: left })
      const { code, stderr } = await run(`check ${server.url} --only OAI-MODELS-* --out .`)
      expect(stderr).not.toContain('in use')
      expect(code).not.toBe(2)
      expect(list()).toContain('report.json')
      expect(list()).not.toContain(lockName)
    }
  })

  test('of another machine counts as in use, and the message says how to free it', async () => {
    await using server = await startModelsServer()
    const lock = lockOf(7, 'elsewhere')
    const { ends, read } = workplace(withKey, { [lockName]: lock })
    const err = ['process 7 on elsewhere', `delete ${lockName}`]
    await ends(`check ${server.url} --out .`, 2, { err })
    expect(read(lockName)).toBe(lock)
  })
})

test('of processes that find a stale lock at the same time, one gets it', async () => {
  const module = new URL('folder-lock.ts', import.meta.url).href
  for (const round of [1, 2, 3, 4, 5, 6, 7, 8]) {
    const folder = emptyFolder()
    writeFileSync(join(folder, lockName), lockOf(nobody))
    const source = `
      const { lockFolder } = await import('${module}')
      process.stdout.write('ready')
      process.stdin.once('data', () => {
        try {
          lockFolder(${JSON.stringify(folder)})
          process.stdout.write(' held')
        } catch (error) {
          process.stdout.write(' ' + error.name)
        }
        process.stdin.once('data', () => process.exit())
      })`
    const children = Array.from({ length: 6 }, () => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', source])
      let text = ''
      child.stdout.on('data', (bytes) => (text += bytes))
      return { child, text: () => text }
    })
    await vi.waitUntil(() => children.every(({ text }) => text() === 'ready'), { timeout: 60_000 })
    for (const { child } of children) child.stdin.write('1')
    await vi.waitUntil(() => children.every(({ text }) => text().includes(' ')), {
      timeout: 60_000,
    })
    for (const { child } of children) child.stdin.write('2')
    const outcomes = children.map(({ text }) => text()).sort()
    expect(outcomes, `round ${round}`).toEqual([
      ...Array(5).fill('ready ConfigurationError'),
      'ready held',
    ])
  }
})
