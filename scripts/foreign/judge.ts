import type { ConformanceReport, Verdict } from '../../contract/report/conformance.ts'
import type { Front } from './front.ts'
import type { Run } from './programs.ts'

/** Verdicts by requirement. */
export type Verdicts = ReadonlyMap<string, Verdict>

export function verdictsOf({ requirements }: ConformanceReport): Verdicts {
  return new Map(requirements.map(({ id, verdict }) => [id, verdict]))
}

const accusations: readonly Verdict[] = ['fail', 'warn']
const undecided: readonly Verdict[] = ['inconclusive', 'unproven']

/** False statements of a report, and true ones that it lacks. */
export function untruths(
  truth: Front,
  direct: Verdicts,
  verdicts: Verdicts,
  check: Run,
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
    if (undecided.includes(verdict) && matches(id, leftOpen)) return []
    return [`${id} is ${verdict}, without the front ${expected}`]
  })
  const unseen = [...violated, ...warned]
    .filter((id) => !verdicts.has(id))
    .map((id) => `missed: ${id} was not judged`)
  const unwarned =
    oneOf.length > 0 && !oneOf.some((id) => verdicts.get(id) === 'warn')
      ? [`missed: none of ${oneOf.join(' and ')} is warn`]
      : []
  const unsaid = truth.says
    .filter((text) => !text.test(check.stdout))
    .map((text) => `the report does not say ${text}`)
  return [...rows, ...unseen, ...unwarned, ...unsaid, ...endOf(check, verdicts)]
}

/** Contradictions between exit code and report. */
function endOf({ code, stderr }: Run, verdicts: Verdicts): string[] {
  const fails = [...verdicts.values()].includes('fail')
  if (fails ? code === 1 : code === 0 || code === 5) return []
  return [`chatgen check ended with ${code}: ${stderr.trim().split('\n').at(-1) ?? ''}`]
}

export function untruthsOfLoad({ load }: Front, { code, stdout, stderr }: Run): string[] {
  if (load === undefined) return []
  const isBusy = code === generatorWasBusy
  return [
    ...(code === load.code || isBusy
      ? []
      : [`chatgen load ended with ${code}, not ${load.code}: ${lastLine(stderr || stdout)}`]),
    ...(isBusy ? [] : load.says)
      .filter((text) => !text.test(stdout))
      .map((text) => `the report of the load does not say ${text}`),
    ...load.not
      .filter((text) => text.test(stdout))
      .map((text) => `the report of the load says ${text}`),
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
    groups.map(([verdict, rows]) => `${rows.length} ${verdict}: ${idsOf(rows)}`).join('; ') ||
    'the same'
  )
}

function idsOf(rows: readonly (readonly [string, Verdict])[]): string {
  const ids = rows.slice(0, 4).map(([id]) => id)
  return [...ids, ...(rows.length > ids.length ? ['…'] : [])].join(' ')
}

function matches(id: string, globs: readonly string[]): boolean {
  return globs.some((glob) => (glob.endsWith('*') ? id.startsWith(glob.slice(0, -1)) : id === glob))
}
