import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { compose, faults } from '../../../reference-server/deviations/index.ts'
import { startReferenceServer } from '../../../reference-server/index.ts'
import { chatgen, emptyFolder, reportIn, start } from '../test-support/chatgen.ts'
import { key, startModelsServer } from '../test-support/models-server.ts'

/** The loop of an implementer by the real bin. */

const env = { CHATGEN_API_KEY: key }

test('--failed checks what was violated, says so, and then nothing', async () => {
  const cwd = emptyFolder()
  const patch = compose(
    faults.filter(({ name }) => name === 'openai-object-missing').map((fault) => fault.patch),
  )
  const broken = await startReferenceServer({ keys: [key], patch })
  const run = (...more: readonly string[]) => chatgen(['check', broken.url, ...more], env, cwd)
  expect((await run('--only', 'OAI-CHAT-03', '--only', 'OAI-MODELS-01')).code).toBe(1)
  const again = await run('--failed')
  expect(again.code).toBe(1)
  expect(reportIn(join(cwd, 'chatgen-results')).requirements.map(({ id }) => id)).toEqual([
    'OAI-CHAT-03',
  ])
  expect(again.stdout).toContain('Only 1 requirement that failed before')
  await broken.close()
  // The results step aside of a run that has none, and are found there.
  expect((await run('--failed')).code).toBe(3)

  const mended = await startReferenceServer({ keys: [key], port: Number(new URL(broken.url).port) })
  expect((await run('--failed')).code).toBe(0)
  await mended.close()
  const nothing = await run('--failed')
  expect(nothing.stdout).toMatch(/^Nothing of this selection was violated or undecided/)
  expect(nothing.code).toBe(0)
}, 240_000)

test('--fail-fast ends at the first violation', async () => {
  const cwd = emptyFolder()
  await using server = await startModelsServer({ open: true })
  const args = ['check', server.url, '--profile', 'openai', '--jobs', '1', '--fail-fast']
  const { code, stdout } = await chatgen(args, env, cwd)
  const { stopped, requirements } = reportIn(join(cwd, 'chatgen-results'))
  expect(code).toBe(1)
  expect(stopped).toMatch(/^ended at the first violation, OAI-\w+-\d\d \(--fail-fast\)$/)
  expect(stdout).toContain('(--fail-fast)')
  expect(requirements.filter(({ verdict }) => verdict === 'unproven').length).toBeGreaterThan(20)
})

test('--watch runs again when a file changes and when the target is back', async () => {
  const cwd = emptyFolder()
  mkdirSync(join(cwd, 'src'))
  const listen = (port: number) => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[]}')
    })
    return new Promise<typeof server>((done) =>
      server.listen(port, '127.0.0.1', () => done(server)),
    )
  }
  const first = await listen(0)
  const { port } = first.address() as AddressInfo
  const args = ['check', `http://127.0.0.1:${port}`, '--only', 'OAI-AUTH-01', '--watch', 'src']
  const { child, ended } = start([...args, '--quiet'], env, cwd)
  let log = ''
  child.stderr?.on('data', (data: Buffer) => {
    log += String(data)
  })
  const waits = () => log.split('waiting for a change').length - 1
  await expect.poll(waits, { timeout: 30_000 }).toBe(1)
  writeFileSync(join(cwd, 'src/server.ts'), 'changed')
  await expect.poll(waits, { timeout: 30_000 }).toBe(2)
  expect(log).toContain('src/server.ts changed')
  first.closeAllConnections()
  await new Promise((done) => first.close(done))
  // Longer than the time between two looks.
  await new Promise((done) => setTimeout(done, 1_000))
  const second = await listen(port)
  await expect.poll(waits, { timeout: 30_000 }).toBe(3)
  expect(log).toContain('the target is back')
  child.kill('SIGINT')
  expect((await ended).code).toBe(130)
  second.closeAllConnections()
  second.close()
}, 120_000)

test('--allow-undecided is a gate that says what it leaves out, and that keeps violations', async () => {
  const server = await startReferenceServer({ keys: [key] })
  const cwd = emptyFolder()
  const only = ['--only', 'OAI-MODELS-01', '--only', 'V3-ATT-11']
  const run = (...more: readonly string[]) =>
    chatgen(['check', server.url, ...only, ...more], env, cwd)
  expect((await run()).code).toBe(5)
  const allowed = await run('--allow-undecided', 'V3-ATT-*')
  expect(allowed.stdout).toMatch(
    /^CONFORMS except 1 undecided requirement \(--allow-undecided V3-ATT-\*\) {2}/,
  )
  expect(reportIn(join(cwd, 'chatgen-results')).allowedUndecided).toEqual({
    globs: ['V3-ATT-*'],
    ids: ['V3-ATT-11'],
  })
  expect(allowed.code).toBe(0)
  expect((await run('--allow-undecided', 'KB-*')).code).toBe(5)
  await server.close()
}, 120_000)
