import { execFile, spawn } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { startReferenceServer } from '../../reference-server/index.ts'
import { listen } from '../client/test-support/listen-on-loopback.ts'
import { emptyFolder } from './test-support/chatgen.ts'

/** The commands of README.md, in order and as written, except for ports, the deployment, long times and the depth of checks. */

const root = fileURLToPath(new URL('../../', import.meta.url))
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const lines = [...readme.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block = '']) =>
  block.split('\n').filter((line) => line !== ''),
)

/** Commands that are not run here, with the reason. */
const notRun: readonly (readonly [RegExp, reason: string])[] = [
  [/^npm ci/, 'installs this clone, which CI does before; the second runs the quick tests'],
  [/^npm run test:slow/, 'runs this test'],
  [/^npm install \.\/|^npx --yes --package/, 'npm run test:package installs the archive'],
  [/^npm install git\+https/, 'needs a Git server, and a registry'],
  [/^docker build/, 'npm run test:image builds the image, on a container engine'],
]

/** Exit codes other than 0. */
const codes: readonly (readonly [RegExp, readonly number[]])[] = [
  // A URL alone leaves requirements undecided.
  [/check https:/, [5]],
  // The fault of the first server.
  [/--only 'V3-IDEM-\*'|rejudge|check --target staging\.yaml --out/, [1]],
  [/--baseline known\.yaml/, [0, 5]],
  // Nothing is claimed about the speed of the machine.
  [/chatgen (load|capacity) /, [0, 1, 5, 6]],
]

const shortened: readonly (readonly [from: string, to: string])[] = [
  ['--duration 30s', '--duration 3s'],
  ['--budget 10m --max 50', '--budget 20s --max 4'],
]

test('every command of README.md runs, or has a reason', { timeout: 1_800_000 }, async () => {
  const deployment = await startReferenceServer()
  onTestFinished(() => deployment.close())
  const ports = [await freePort(), await freePort()] as const
  const cwd = emptyFolder()
  const adapted = (text: string) =>
    [
      ...shortened,
      ['https://chat.example.org', deployment.url] as const,
      ['4010', ports[0]] as const,
      ['4011', ports[1]] as const,
      ['CHATGEN_API_KEY=…', `CHATGEN_API_KEY=${deployment.keys[0]}`] as const,
    ].reduce((result, [from, to]) => result.replaceAll(from, to), text)
  prepare(cwd, adapted)
  const path = `${join(cwd, 'bin')}:${process.env['PATH']}`
  const env: Record<string, string> = { PATH: path, CHATGEN_DEPTH: 'quick' }
  const servers = new Map<string, () => Promise<void>>()
  onTestFinished(async () => void (await Promise.all([...servers.values()].map((stop) => stop()))))
  const run = new Set<string>()
  for (const line of lines) {
    if (notRun.some(([pattern]) => pattern.test(line))) continue
    const command = adapted(line.replace(/\s+#.*$/, ''))
    run.add(line)
    const [, name, value = ''] = /^export (\w+)=(\S+)$/.exec(command) ?? []
    const port = /chatgen serve --port (\d+)/.exec(command)?.[1]
    if (name !== undefined) env[name] = value
    else if (port !== undefined) {
      await servers.get(port)?.()
      servers.set(port, await served(command, { cwd, env }))
    } else {
      const allowed = codes.find(([pattern]) => pattern.test(line))?.[1] ?? [0]
      const { code, output } = await ended(command, { cwd, env })
      expect(allowed, `${command}\n${output}`).toContain(code)
    }
  }
  expect(run.size).toBeGreaterThan(18)
  for (const [pattern] of notRun) expect(lines.some((line) => pattern.test(line))).toBe(true)
})

interface Place {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

/** `npx chatgen` of the clone, its example profile, and a baseline. */
function prepare(cwd: string, adapted: (text: string) => string): void {
  for (const folder of ['bin', 'fixtures/targets'])
    mkdirSync(join(cwd, folder), { recursive: true })
  const program = join(root, 'bin/chatgen.cjs')
  const npx = `#!/bin/sh\nshift\nexec "${process.execPath}" "${program}" "$@"\n`
  writeFileSync(join(cwd, 'bin/npx'), npx, { mode: 0o755 })
  const profile = 'fixtures/targets/reference.yaml'
  cpSync(join(root, profile), join(cwd, profile))
  writeFileSync(join(cwd, profile), adapted(readFileSync(join(cwd, profile), 'utf8')))
  writeFileSync(join(cwd, 'known.yaml'), 'V3-IDEM-02: { because: the first server has a fault }\n')
}

function ended(command: string, { cwd, env }: Place): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile('bash', ['-c', command], { cwd, env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr }),
    )
  })
}

/** A server of another terminal; returns a function that ends it. */
async function served(command: string, { cwd, env }: Place): Promise<() => Promise<void>> {
  const child = spawn('bash', ['-c', `exec ${command}`], { cwd, env })
  const closed = new Promise<void>((resolve) => child.on('close', () => resolve()))
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (bytes) => String(bytes).includes('Listening on') && resolve())
  })
  return async () => {
    child.kill('SIGTERM')
    await closed
  }
}

async function freePort(): Promise<string> {
  const host = await listen(() => {})
  await host.close()
  return new URL(host.url).port
}
