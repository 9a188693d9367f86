/** Fronts: third-party software between chatgen and the bundled server, from fronts.yaml. */
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { z } from 'zod'
import type { Verdict } from '../../contract/report/conformance.ts'
import { matchesGlob } from '../../contract/text.ts'
import { filled, type Run, type Start } from './programs.ts'

/** Resources of a front, removed after the run. */
export interface Place {
  readonly folder: string
  /** Port on loopback that the front listens on. */
  readonly port: number
  /** A second port, for fronts of two hops. */
  readonly innerPort: number
  /** Ports of the bundled server, by its pace. */
  readonly upstream: Readonly<Record<Pace, number>>
  /** PEM files, self-signed for 127.0.0.1. */
  readonly certificate: { readonly cert: string; readonly key: string; readonly both: string }
}

/** `steady`: a token every 20 ms after 200 ms; `jittery`: with pauses of more than 120 ms. */
export const paces = {
  steady: 'ttft=200ms,gap=20ms',
  jittery: 'ttft=60ms,gap=lognormal(30ms,1.1)',
} as const
export type Pace = keyof typeof paces

const ids = z.array(z.string()).default([])
const pattern = z.string().transform((text) => new RegExp(text))
const patterns = z.array(pattern).default([])
const texts = z.record(z.string(), z.string())

const front = z.strictObject({
  name: z.string(),
  /** Program that must be installed. */
  program: z.string(),
  with: texts.default({}),
  scheme: z.enum(['http', 'https']).default('http'),
  /** Path behind the port, such as `/llm`. */
  path: z.string().default(''),
  /** Truth about it, in one sentence. */
  is: z.string(),
  /** Expected verdicts that differ from those of the bundled server alone; ids may end with `*` in `undecided`. */
  violated: ids,
  warned: ids,
  /** Requirements, at least one of which has a warning: how much a buffer holds back depends on the answer. */
  warnedOneOf: ids,
  /** Requirements that cannot be decided, or may not: gateways fail by chance. */
  undecided: ids,
  /** Applies only if the front's own log says so; violated or not, both are correct then. */
  whereLogged: z.strictObject({ says: pattern, violated: ids, undecided: ids }).optional(),
  /** Text that the console report must contain. */
  says: patterns,
  /** Short load in addition, and the text that its report must contain. */
  load: z.strictObject({ code: z.int().default(0), says: patterns, not: patterns }).optional(),
})
export type Front = z.output<typeof front>

const program = z.strictObject({
  command: z.array(z.string()),
  file: z.string(),
  options: texts,
  text: z.string(),
})

export const { fronts, programs } = z
  .strictObject({ programs: z.record(z.string(), program), fronts: z.array(front) })
  .parse(parse(readFileSync(new URL('fronts.yaml', import.meta.url), 'utf8'), { merge: true }))

/** Fills in the placeholders of a front. @throws Error if its program is not described */
export function startOf({ program: name, with: own }: Front, place: Place): Start {
  const described = programs[name]
  if (described === undefined) throw new Error(`fronts.yaml does not describe ${name}`)
  const { command, file, options, text } = described
  const { folder, port, innerPort, upstream, certificate } = place
  const values = {
    ...{ folder, port, inner: innerPort, ...upstream, ...certificate },
    user: process.getuid?.() === 0 ? 'User www-data\nGroup www-data' : '',
    ...options,
    ...own,
  }
  return {
    command: command.map((word) => filled(word, values)),
    files: { [file]: filled(text, values) },
  }
}

/** Requirements that streamed text arrives while it is generated. */
export const delivery = ['OAI-STREAM-11', 'V3-SSE-30']

/** Verdicts by requirement. */
export type Verdicts = ReadonlyMap<string, Verdict>

const accusations: readonly Verdict[] = ['fail', 'warn']
const undecided: readonly Verdict[] = ['inconclusive', 'unproven']

/** False statements of a report, and true ones that it lacks. */
export function untruths(
  truth: Front,
  direct: Verdicts,
  verdicts: Verdicts,
  { code, stdout, stderr }: Run,
  log = '',
): string[] {
  const { violated, warned, warnedOneOf: oneOf } = truth
  const logged = truth.whereLogged?.says.test(log) ? truth.whereLogged : undefined
  const byChance = logged?.violated ?? []
  const leftOpen = [...truth.undecided, ...(logged?.undecided ?? [])]
  const rows = [...verdicts].flatMap(([id, verdict]) => {
    const expected = violated.includes(id) ? 'fail' : warned.includes(id) ? 'warn' : direct.get(id)
    if (verdict === expected || (accusations.includes(verdict) && byChance.includes(id))) return []
    if (oneOf.includes(id) && (verdict === 'warn' || undecided.includes(verdict))) return []
    const isExpected = violated.includes(id) || warned.includes(id)
    if (accusations.includes(verdict) && !isExpected) return [`false accusation: ${id} ${verdict}`]
    if (isExpected) return [`missed: ${id} is ${verdict}`]
    if (undecided.includes(verdict) && leftOpen.some((glob) => matchesGlob(id, glob))) return []
    return [`${id} is ${verdict}, without the front ${expected}`]
  })
  const unseen = [...violated, ...warned].filter((id) => !verdicts.has(id))
  const isWarned = oneOf.length === 0 || oneOf.some((id) => verdicts.get(id) === 'warn')
  const isEnd = [...verdicts.values()].includes('fail') ? code === 1 : code === 0 || code === 5
  return [
    ...rows,
    ...unseen.map((id) => `missed: ${id} was not judged`),
    ...(isWarned ? [] : [`missed: none of ${oneOf.join(' and ')} is warn`]),
    ...lacking(truth.says, stdout).map((text) => `the report does not say ${text}`),
    ...(isEnd ? [] : [`chatgen check ended with ${code}: ${lastLine(stderr)}`]),
  ]
}

function lacking(texts: readonly RegExp[], stdout: string): readonly RegExp[] {
  return texts.filter((text) => !text.test(stdout))
}

export function untruthsOfLoad({ load }: Front, { code, stdout, stderr }: Run): string[] {
  if (load === undefined) return []
  const surplus = load.not
    .filter((text) => text.test(stdout))
    .map((text) => `the report of the load says ${text}`)
  if (code === generatorWasBusy) return surplus
  const end = `chatgen load ended with ${code}, not ${load.code}: ${lastLine(stderr || stdout)}`
  return [
    ...(code === load.code ? [] : [end]),
    ...lacking(load.says, stdout).map((text) => `the report of the load does not say ${text}`),
    ...surplus,
  ]
}

/** Exit code of a busy generator: it says nothing about the front, since this machine also runs the servers. */
const generatorWasBusy = 6

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? ''
}

/** `3 warn: V3-SSE-30, …`: verdicts that differ from those of the server alone. */
export function difference(direct: Verdicts, verdicts: Verdicts): string {
  const changed = [...verdicts].filter(([id, verdict]) => verdict !== direct.get(id))
  const groups = [...Map.groupBy(changed, ([, verdict]) => verdict)]
  return (
    groups
      .map(([verdict, rows]) => {
        const ids = rows.slice(0, 4).map(([id]) => id)
        return `${rows.length} ${verdict}: ${ids.join(' ')}${rows.length > ids.length ? ' …' : ''}`
      })
      .join('; ') || 'the same'
  )
}
