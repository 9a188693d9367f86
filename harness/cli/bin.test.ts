import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { emptyFolder } from './test-support/chatgen.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const oldNode = join(root, 'harness/cli/test-support/old-node.cjs')

function runOnOldNode(bin: string, args: readonly string[]) {
  return spawnSync(process.execPath, ['--require', oldNode, bin, ...args], { encoding: 'utf8' })
}

test('on an old Node the bin hands over to the one that the checkout brought', () => {
  const { status, stdout } = runOnOldNode(join(root, 'bin/chatgen.cjs'), ['explain', 'V3-IDEM-02'])
  expect(stdout).toContain('V3-IDEM-02')
  expect(status).toBe(0)
})

test('the exit code of the Node that took over is passed on', () => {
  const { status, stderr } = runOnOldNode(join(root, 'bin/chatgen.cjs'), ['explain', 'NOTHING'])
  expect(stderr).toContain('unknown id NOTHING')
  expect(status).toBe(2)
})

test('options for Node that only the old one takes are left out, and that is said', () => {
  const bin = join(root, 'bin/chatgen.cjs')
  const args = ['--require', oldNode, bin, 'explain', 'V3-IDEM-02']
  const env = { ...process.env, CHATGEN_TEST_OPTIONS: '--experimental-network-imports' }
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
  expect(stderr).toBe(
    'chatgen: running without NODE_OPTIONS, which the newer Node refuses: --experimental-network-imports is not allowed in NODE_OPTIONS\n',
  )
  expect(stdout).toContain('V3-IDEM-02')
  expect(status).toBe(0)
})

test('a Node that took over and was killed leaves the exit code of a shell', () => {
  const kill = `if (process.env.CHATGEN_HANDED_OVER) process.kill(process.pid, 'SIGKILL')`
  const env = {
    ...process.env,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(kill)}`,
  }
  const bin = join(root, 'bin/chatgen.cjs')
  const args = ['--require', oldNode, bin, 'explain', 'V3-IDEM-02']
  expect(spawnSync(process.execPath, args, { env }).status).toBe(128 + 9)
})

test('where there is no other Node the bin says what is needed and how to get it', () => {
  const folder = emptyFolder()
  mkdirSync(join(folder, 'bin'))
  cpSync(join(root, 'bin/chatgen.cjs'), join(folder, 'bin/chatgen.cjs'))
  const { status, stderr } = runOnOldNode(join(folder, 'bin/chatgen.cjs'), ['check'])
  expect(stderr).toMatchInlineSnapshot(`
    "chatgen needs Node 22.22 or newer; this is Node 18.19.0.
    In a checkout, \`npm ci\` brings one along. Elsewhere install it from your system or with
    \`npm install node@24\`, and run chatgen with npx.
    "
  `)
  expect(status).toBe(2)
})
