/**
 * Behaviour of chatgen with broken or hostile targets, case by case: time, peak memory, exit code and
 * the sentence that names what the target did.
 *
 *   node scripts/hostile-targets.ts [--only TEXT] [--command check|load|init]
 *
 * Ends with 1 if a case exceeds its time limit or the memory limit.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { targetFixture } from '../fixtures/targets.ts'
import { startReferenceServer } from '../reference-server/index.ts'
import { type HostileCase, hostileCases } from './hostile/cases.ts'
import { startFront } from './hostile/front.ts'
import { longAnswers } from './hostile/long-answers.ts'
import { type Measured, measured } from './hostile/measured.ts'

const max = { memoryMb: 500, seconds: 180 }
const key = 'sk-hostile-targets-4711'

const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, command: { type: 'string' } },
})
const commands = (values.command ?? 'check,init,load').split(',')
let failed = 0

console.log('seconds  MB  exit  command  target')
for (const length of [2_000, 20_000]) {
  const name = `${length} events in every answer`
  if (name.includes(values.only)) await longAnswersOf(length, name)
}
for (const hostile of hostileCases) {
  if (!hostile.name.includes(values.only)) continue
  for (const command of commands) await against(hostile, command)
}
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
    const profile = `${own}\nlimits: ${JSON.stringify(limits)}\n`
    // init writes its own, and none over another.
    if (command !== 'init') writeFileSync(join(cwd, 'target.yaml'), profile)
    return await measured(argumentsOf(command, url), { cwd, key, timeoutMs: max.seconds * 1000 })
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
    ...(seconds >= max.seconds ? ['no end'] : []),
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
