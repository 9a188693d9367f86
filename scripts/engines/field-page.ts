import { join } from 'node:path'
import type { RequirementResult } from '../../contract/report/conformance.ts'
import { call } from '../../harness/client/test-support/send.ts'
import { loadReport } from '../../reports/load/model/report.ts'
import type { RequestLine } from '../../reports/load/model/requests.ts'
import { withoutColors } from '../../reports/text/escape.ts'
import { chatgen, reportIn, requestsIn } from '../foreign/programs.ts'
import { notRun, type Place, type RunningServer, type Tried } from './servers.ts'

/** `docs/field.md`: violations of the common wire format by third-party servers. */
export function fieldPage(tried: readonly Tried[], timings: readonly string[]): string {
  return [
    '<!-- Written by `npm run engines -- --write`; edits are overwritten. -->',
    '',
    '# Servers in the field',
    '',
    'Servers of others with a compatible surface, checked with `--profile wire`: what the common format of chat',
    'completions requires of every server, without what only the interface document requires. A violation is of a',
    'required requirement, a warning of an expected one. `npm run engines` repeats the checks, and fails on a verdict',
    'that differs from what was verified by hand.',
    '',
    '| Server | Version | Violated | Warnings | Passed | Undecided |',
    '| --- | --- | --- | --- | --- | --- |',
    ...tried.map(({ server, report }) => {
      const { pass, fail, warn, inconclusive, unproven } = report.totals
      const cells = [server.name, server.version, fail, warn, pass, inconclusive + unproven]
      return `| ${cells.join(' | ')} |`
    }),
    ...tried.flatMap(details),
    '',
    '## Not run',
    '',
    ...Object.entries(notRun).map(([name, reason]) => `- ${name}: ${reason}.`),
    ...timings,
    '',
  ].join('\n')
}

/** Replaces the timings at the end of the page. */
export function withTimings(page: string, timings: readonly string[]): string {
  const [title = ''] = timings.filter((line) => line.startsWith('## '))
  const end = page.indexOf(`\n${title}`)
  if (title === '' || end < 0) throw new Error('docs/field.md has no section of timings')
  return `${page.slice(0, end)}${timings.join('\n')}\n`
}

function details({ server, report }: Tried): readonly string[] {
  const broken = report.requirements.filter(({ verdict }) => ['fail', 'warn'].includes(verdict))
  return [
    '',
    `## ${server.name}`,
    '',
    server.about,
    '',
    ...(broken.length === 0
      ? ['Breaks nothing.']
      : ['| Requirement | Level | Found |', '| --- | --- | --- |', ...broken.map(requirement)]),
  ]
}

const maxEvidence = 220

function requirement({ id, level, section, message }: RequirementResult): string {
  const text = withoutColors(message ?? '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  const evidence = text.length > maxEvidence ? `${text.slice(0, maxEvidence)}…` : text
  const cell = evidence.replaceAll('|', '\\|').replaceAll('`', "'")
  return `| [${id}](interface/${section}.md#${id.toLowerCase()}) | ${level} | \`${cell}\` |`
}

const seconds = 20

/**
 * Compares one client's streams with the engine's own sums: time per request, and tokens.
 * @returns a section of docs/field.md
 * @throws Error if the load generator was the bottleneck
 */
export async function compareTimings(
  { url }: RunningServer,
  { root, key }: Place,
): Promise<readonly string[]> {
  const out = join(root, 'load')
  const before = await totals(url, key)
  const target = ['load', url, '--prefix', 'openai=/v1', '--mix', 'openai-stream', '--out', out]
  await chatgen([...target, '--concurrency', '1', '--duration', `${seconds}s`, '--quiet'], {
    CHATGEN_API_KEY: key,
  })
  const after = await totals(url, key)
  const report = reportIn(loadReport, out)
  if (report.outcome === 'invalid') throw new Error('the load generator was late')
  const requests = requestsIn(out).filter(({ outcome }) => outcome === 'ok')
  const sum = (of: (request: RequestLine) => number) =>
    requests.reduce((total, request) => total + of(request), 0)
  const meanMs =
    sum(({ sent, end }) => (end ?? Number.NaN) - (sent ?? Number.NaN)) / requests.length
  const engineMs = ((after.seconds - before.seconds) * 1000) / requests.length
  const difference = meanMs - engineMs
  const overheadMs = await overheadOfEngine(url, key)
  const counted = sum(({ tokens }) => tokens ?? 0)
  const predicted = after.tokens - before.tokens
  return [
    '',
    '## Load against the timings of the llama.cpp server',
    '',
    `One client, ${requests.length} streams in ${seconds} s, ${report.rates.failed.count} failed; a machine of two cores.`,
    '',
    '| Quantity | chatgen load | Engine (`/metrics`) | Difference |',
    '| --- | --- | --- | --- |',
    `| time of a request, mean | ${meanMs.toFixed(2)} ms | ${engineMs.toFixed(2)} ms | ${difference.toFixed(2)} ms, ${((difference / engineMs) * 100).toFixed(1)} % |`,
    `| tokens of all answers | ${counted} | ${predicted} | ${counted - predicted} |`,
    '',
    'The time of the engine is that of its prompts and predictions alone, without its parsing, template, queue and',
    `last bytes: a plain fetch, beside the timings in each of ${probes} responses, takes ${overheadMs.toFixed(2)} ms longer on average.`,
  ]
}

const probes = 40

/** Milliseconds of a request beyond the timings in its response, on average. */
async function overheadOfEngine(url: string, key: string): Promise<number> {
  let total = 0
  for (let probe = 0; probe < probes; probe += 1) {
    const startedAt = performance.now()
    const content = `Tell me about harbour ${probe}, at some length.`
    const body = { model: 'random', max_tokens: 80, messages: [{ role: 'user', content }] }
    const { text } = await call({ url, key }, 'POST', '/v1/chat/completions', body)
    const { timings }: { timings: { prompt_ms: number; predicted_ms: number } } = JSON.parse(text)
    total += performance.now() - startedAt - timings.prompt_ms - timings.predicted_ms
  }
  return total / probes
}

/** Counters of the llama.cpp server since its start (`/metrics`). */
async function totals(url: string, key: string) {
  const { text } = await call({ url, key }, 'GET', '/metrics')
  const value = (name: string) =>
    Number(new RegExp(`^llamacpp:${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN)
  return {
    seconds: value('prompt_seconds_total') + value('tokens_predicted_seconds_total'),
    tokens: value('tokens_predicted_total'),
  }
}
