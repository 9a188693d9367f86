/**
 * Gate: chatgen against broken or hostile targets, case by case: time, peak memory, exit code and the
 * sentence that names what the target did. The defaults of `check` apply, so it explores as well.
 *
 *   node scripts/hostile-targets.ts [--only TEXT] [--command check,init,load] [--at-once N] [--run-seconds N]
 *
 * Ends with 1 if a case takes more memory than the maximum, or longer than `limits.runMs` and the ten
 * seconds after it that docs/limits.md allows.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { targetFixture } from '../fixtures/targets.ts'
import { startReferenceServer } from '../reference-server/index.ts'
import { longAnswers } from './hostile/answers.ts'
import { type HostileCase, hostileCases } from './hostile/cases.ts'
import { startFront } from './hostile/front.ts'
import { type Measured, measured } from './hostile/measured.ts'

const key = 'sk-hostile-targets-4711'

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    command: { type: 'string', default: 'check' },
    'at-once': { type: 'string', default: '2' },
    'run-seconds': { type: 'string', default: '120' },
  },
})
const commands = values.command.split(',')
const runMs = Number(values['run-seconds']) * 1000
const max = { memoryMb: 500, seconds: runMs / 1000 + 10 }
let failed = 0

const cases = [
  ...[2_000, 20_000].map((length) => {
    const name = `${length} events in every answer`
    return { name, run: () => longAnswersOf(length, name) }
  }),
  ...hostileCases.flatMap((hostile) =>
    commands.map((command) => ({ name: hostile.name, run: () => against(hostile, command) })),
  ),
].filter(({ name }) => name.includes(values.only))
if (cases.length === 0) throw new Error(`no case has a name with ${values.only} in it`)

const started = performance.now()
console.log('seconds  MB  exit  command  target')
const waiting = cases.values()
const lane = async () => {
  for (const { run } of waiting) await run()
}
await Promise.all(Array.from({ length: Number(values['at-once']) }, lane))
const seconds = (performance.now() - started) / 1000
console.log(`${cases.length} cases, ${failed} failed, ${seconds.toFixed(0)} s`)
process.exitCode = failed > 0 ? 1 : 0

async function longAnswersOf(length: number, name: string): Promise<void> {
  if (!commands.includes('check')) return
  const server = await startReferenceServer({ keys: [key], patch: longAnswers(length) })
  try {
    const result = await run('check', server.url, {})
    tell('check', name, result, /OUTCOME|CONFORMS|INCOMPLETE|VIOLATED/)
  } finally {
    await server.close()
  }
}

async function against({ name, answerFor, limits = {}, says }: HostileCase, command: string) {
  const server = await startReferenceServer({ keys: [key] })
  const front = await startFront(server.url, answerFor)
  try {
    const result = await run(command, front.url, limits)
    tell(command, name, result, command === 'check' ? says : /./)
  } finally {
    await front.close()
    await server.close()
  }
}

async function run(
  command: string,
  url: string,
  limits: Readonly<Record<string, number>>,
): Promise<Measured> {
  const cwd = mkdtempSync(join(tmpdir(), 'chatgen-hostile-'))
  try {
    const { text } = targetFixture('reference')
    const own = text
      .replace(/^baseUrl:.*$/m, `baseUrl: ${url}`)
      .replace(/^otherKey:.*$/m, '')
      .replace(/^limits:.*$/m, '')
    const profile = `${own}\nlimits: ${JSON.stringify({ runMs, ...limits })}\n`
    // init writes its own, and none over another.
    if (command !== 'init') writeFileSync(join(cwd, 'target.yaml'), profile)
    return await measured(argumentsOf(command, url), {
      cwd,
      key,
      timeoutMs: (max.seconds + 20) * 1000,
    })
  } finally {
    rmSync(cwd, { recursive: true, force: true })
  }
}

function argumentsOf(command: string, url: string): string[] {
  if (command === 'init') return ['init', url, '--timeout', '1000']
  if (command === 'check') return ['check', '--target', 'target.yaml']
  const plan = ['--rate', '5', '--duration', '3s', '--surface', 'openai']
  return ['load', '--target', 'target.yaml', ...plan]
}

function tell(command: string, name: string, result: Measured, says: RegExp): void {
  const { seconds, peakMb, code, signal, output } = result
  const sentence = sentenceIn(output, says)
  const faults = [
    ...(seconds > max.seconds ? [`more than ${max.seconds} s`] : []),
    ...(peakMb > max.memoryMb ? [`more than ${max.memoryMb} MB`] : []),
    ...(code === 4 || code === null ? ['an internal error'] : []),
    ...(sentence === undefined ? [`it does not say ${says.source}`] : []),
  ]
  failed += faults.length > 0 ? 1 : 0
  const figures = [seconds.toFixed(1).padStart(7), String(peakMb).padStart(4), code ?? signal]
  console.log(`${figures.join(' ')}  ${command.padEnd(5)}  ${name}`)
  console.log(`                    ${sentence ?? ''}`)
  if (faults.length > 0) console.log(`                    FAILED: ${faults.join(', ')}`)
  if (faults.length > 0) console.log(output.trimEnd().split('\n').slice(-6).join('\n'))
}

/** Excerpt of the output around a match, without line breaks. */
function sentenceIn(output: string, says: RegExp): string | undefined {
  const text = output.replaceAll(/\s+/g, ' ')
  const found = says.exec(text)
  return found === null ? undefined : text.slice(Math.max(0, found.index - 40), found.index + 160)
}
