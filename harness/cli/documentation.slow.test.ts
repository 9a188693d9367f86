import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { startReferenceServer } from '../../reference-server/index.ts'
import { freePort } from '../../reference-server/test-support/free-port.ts'
import { capacityReportOf } from '../../reports/test-support/measurements.ts'
import { reportToJson } from '../../reports/text/digest.ts'
import { ask, chatgen, emptyFolder, shownBy } from './test-support/chatgen.ts'

/**
 * The commands of README.md and of docs/, page by page in order and as written, except for ports, deployments and long
 * times. The environment limits a check to one requirement.
 */

const root = fileURLToPath(new URL('../../', import.meta.url))
const keys = ['test-key', 'test-key-0123', 'other-key']

const pages = ['README.md', ...globSync('docs/{*,internals/*}.md', { cwd: root }).toSorted()]
  .map((page) => ({ page, text: readFileSync(join(root, page), 'utf8') }))
  .map(({ page, text }) => ({ page, text, commands: commandsIn(text) }))
  .filter(({ commands }) => commands.length > 0)

/** Commands that are not run here, with the reason. */
const notRun: readonly (readonly [RegExp, reason: string])[] = [
  [/^npm (ci|run)|^npx node scripts|npm run certify/, 'a script of a clone'],
  [/^chatgen (certify|verify|site)|^node -e|pkeyutl/, 'certification.slow.test.ts'],
  [/^npm install [./]|^npx --yes --package/, 'npm run test:package installs the archive'],
  [/^npm install git\+https/, 'needs a Git server, and a registry'],
  [/^docker |--image|--compose|--containers/, 'npm run test:image, on a container engine'],
  [/--http2|results-http2/, 'needs TLS; the tests of harness/client'],
  [/--runner (swarm|kubernetes)/, 'npm run test:image and npm run test:cluster, on a cluster'],
  [/127.0.0.1:8000/, 'an engine with /v1; prefixes.slow.test.ts, and npm run engines'],
  [/--target target\.yaml --only/, 'disputes.slow.test.ts'],
  [/--start-at|report shard-0/, 'waits for a time; load.slow.test.ts'],
]

/** Exit codes other than 0. */
const codes: readonly (readonly [RegExp, readonly number[]])[] = [
  // The fault of the first server.
  [/--only 'V3-IDEM-\*'|rejudge results|check --target staging\.yaml --out results$/, [0, 1]],
  [/--baseline known\.yaml/, [0, 5]],
  [/--profile openai --only/, [0, 5]],
  // Nothing is claimed about the speed of the machine.
  [/chatgen (load|capacity|bench|plan|compare) /, [0, 1, 5, 6]],
]

const shortened: readonly (readonly [from: RegExp, to: string])[] = [
  [/--duration (30|12|90)s/, '--duration 3s'],
  [/bench --baseline --duration 3s/, 'bench --baseline --duration 1s'],
  [/--duration 4m/, '--duration 6s --block 500ms'],
  [/0\.\.100\/60s/, '0..20/2s'],
  [/--budget (10m --max 50|8m)/, '--budget 20s --max 4'],
  [/--min (10|100) --probe 1[02]s/, '--min 1 --probe 1s'],
  [/--rate (40|50|400)\b/, '--rate 5'],
  // A search of seconds fits no model.
  [/--from capacity-1/, '--from one'],
  [/--concurrency 100/, '--concurrency 5'],
]

const limits = {
  CHATGEN_ONLY: 'OAI-MODELS-01',
  CHATGEN_EXPLORE: '0',
  CHATGEN_PROFILE: 'openai',
  CHATGEN_DURATION: '1s',
  CHATGEN_BUDGET: '20s',
  CHATGEN_MAX: '4',
}

/** Folder with results of a check, and of a load run. */
const stored = emptyFolder()

beforeAll(async () => {
  const server = await startReferenceServer({ keys })
  const env = { CHATGEN_API_KEY: keys[0] ?? '' }
  await chatgen(`check ${server.url} --only OAI-MODELS-01 --out check`, env, stored)
  await chatgen(`load ${server.url} --rate 5 --duration 1s --out load`, env, stored)
  await server.close()
}, 120_000)

const passed = new Set<string>()

test.concurrent.for(pages)(
  'commands of $page end with the documented exit codes',
  { timeout: 1_800_000 },
  async ({ page, text, commands }, { expect, onTestFinished }) => {
    const deployment = await startReferenceServer({ keys })
    onTestFinished(() => deployment.close())
    const ports = new Map<string, string>()
    for (const port of ['4010', '4011']) ports.set(port, `${await freePort()}`)
    const adapted = (command: string) =>
      shortened
        .reduce((result, [from, to]) => result.replace(from, to), command)
        .replaceAll(/https:\/\/\w+\.example\.org/g, deployment.url)
        .replaceAll(/\b401[01]\b/g, (port) => ports.get(port) ?? port)
        .replace('CHATGEN_API_KEY=…', `CHATGEN_API_KEY=${keys[0]}`)
    const isReadme = page === 'README.md'
    const cwd = emptyFolder()
    prepare(cwd, { text, isReadme, url: deployment.url, adapted })
    const place: Place = {
      cwd,
      env: {
        PATH: `${join(cwd, 'bin')}:${process.env['PATH']}`,
        ...limits,
        // It selects requirements of v3.
        ...(isReadme && { CHATGEN_PROFILE: 'full' }),
        CHATGEN_API_KEY: keys[0],
        CHATGEN_OTHER_KEY: keys[2],
      },
    }
    const servers = new Map<string, () => Promise<void>>()
    onTestFinished(
      async () => void (await Promise.all([...servers.values()].map((stop) => stop()))),
    )
    for (const line of commands) {
      if (notRun.some(([pattern]) => pattern.test(line))) continue
      const command = adapted(line)
      const [, name, value = ''] = /^export (\w+)=(\S+)$/.exec(command) ?? []
      const port = /chatgen serve --port (\d+)/.exec(command)?.[1]
      const used = [...ports.values()].filter((one) => command.includes(`127.0.0.1:${one}`))
      if (name !== undefined) place.env[name] = value
      else if (port !== undefined) {
        await servers.get(port)?.()
        const stop = await untilShown(command, 'Listening on', place)
        const control = /--control (\d+)/.exec(command)?.[1]
        for (const one of [port, control]) if (one !== undefined) servers.set(one, stop)
        if (command.includes('--record')) await ask(`http://127.0.0.1:${port}`, 'Hi!')
      } else {
        for (const one of used.filter((name) => !servers.has(name))) {
          const server = await startReferenceServer({ keys, port: Number(one) })
          servers.set(one, () => server.close())
        }
        if (/chatgen ui|--ui\b/.test(command)) await (await untilShown(command, 'Page: ', place))()
        else if (command.includes('--watch'))
          await (await untilShown(command, 'Results: ', place))()
        else {
          const allowed = codes.find(([pattern]) => pattern.test(line))?.[1] ?? [0]
          const { code, output } = await ended(command, place)
          expect.soft(allowed, `${command}\nexit code ${code}\n${output}`).toContain(code)
        }
      }
      passed.add(line)
    }
  },
)

test('commands are mostly run, and each reason not to run one is needed', () => {
  const all = pages.flatMap(({ commands }) => commands)
  for (const [pattern] of notRun) expect(all.some((line) => pattern.test(line))).toBe(true)
  expect(passed.size).toBeGreaterThan(80)
})

/** Commands of `sh` blocks, and those after `$ ` of `console` blocks; each may have several lines. */
function commandsIn(text: string): readonly string[] {
  return [...text.matchAll(/^```(sh|console)\n(.*?)^```/gms)].flatMap(([, kind, block = '']) => {
    const commands: string[] = []
    let isOpen = false
    for (const line of block.trimEnd().split('\n')) {
      if (isOpen) commands.push(`${commands.pop()}\n${line}`)
      else if (kind === 'sh' && line !== '') commands.push(line)
      else if (line.startsWith('$ ')) commands.push(line.slice(2))
      isOpen = commands.length > 0 && !isComplete(commands.at(-1) ?? '')
    }
    return commands
  })
}

function isComplete(command: string): boolean {
  const end = /<<'(\w+)'/.exec(command)?.[1]
  if (end !== undefined) return command.endsWith(`\n${end}`)
  return !command.replace(/ +#.*$/, '').endsWith('\\') && command.split("'").length % 2 === 1
}

interface Place {
  readonly cwd: string
  readonly env: Record<string, string | undefined>
}

/** `npx chatgen` and `chatgen` of the clone, and the files that a page mentions. */
function prepare(
  cwd: string,
  page: { text: string; isReadme: boolean; url: string; adapted: (text: string) => string },
): void {
  const write = (name: string, text: string) => writeFileSync(join(cwd, name), text)
  for (const folder of ['bin', 'src', 'fixtures/targets'])
    mkdirSync(join(cwd, folder), { recursive: true })
  const program = `exec "${process.execPath}" "${join(root, 'bin/chatgen.cjs')}" "$@"\n`
  writeFileSync(join(cwd, 'bin/npx'), `#!/bin/sh\nshift\n${program}`, { mode: 0o755 })
  writeFileSync(join(cwd, 'bin/chatgen'), `#!/bin/sh\n${program}`, { mode: 0o755 })
  const profile = readFileSync(join(root, 'fixtures/targets/reference.yaml'), 'utf8')
  write('fixtures/targets/reference.yaml', page.adapted(profile))
  write('known.yaml', 'V3-IDEM-02: { because: the first server has a fault }\n')
  if (page.isReadme) return
  const own = profile.replace(/^baseUrl: .*$/m, `baseUrl: ${page.url}`)
  for (const name of ['staging.yaml', 'target.yaml', 'profile.yaml'])
    if (!page.text.includes(`--out ${name}`)) write(name, own)
  for (const name of ['results', 'last-month', 'chatgen-results'])
    cpSync(join(stored, 'check'), join(cwd, name), { recursive: true })
  for (const name of ['load-monday', 'load-tuesday'])
    cpSync(join(stored, 'load'), join(cwd, name), { recursive: true })
  for (const name of ['one', 'three']) {
    mkdirSync(join(cwd, name))
    write(`${name}/report.json`, reportToJson(capacityReportOf()))
  }
  write('day.csv', 'at,rate\n09:00,20\n10:00,40\n11:00,30\n')
  write(
    'company-ca.pem',
    readFileSync(join(root, 'harness/client/test-support/certificates/ca.pem'), 'utf8'),
  )
  write('product.yaml', 'vendor: Example AG\nname: Chat\nversion: "1.0"\ncontact: a@example.org\n')
  const block = (pattern: RegExp) => pattern.exec(page.text)?.[1] ?? ''
  write('mix.yaml', block(/```yaml\n([^`]*transactions:[^`]*)```/))
  write('trace.ndjson', block(/```json\n(\{"at"[^`]*)```/))
}

function ended(command: string, { cwd, env }: Place): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile('bash', ['-c', command], { cwd, env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr }),
    )
  })
}

/** A command of another terminal, once it has shown a text; returns a function that ends it. */
async function untilShown(command: string, text: string, { cwd, env }: Place) {
  const child = spawn('bash', ['-c', `exec ${command}`], { cwd, env })
  const closed = once(child, 'close')
  const output = shownBy(child.stdout, child.stderr)
  const listening = output.until((all) => all.includes(text))
  await Promise.race([
    listening,
    closed.then(() => expect.unreachable(`${command}\n${output.text}`)),
  ])
  return async () => {
    child.kill('SIGTERM')
    await closed
  }
}
