import {
  areaOf,
  isRequirementId,
  type Level,
  requirementIds,
  requirements,
} from '../../contract/index.ts'
import { combinationNamed, dialects, type Fault } from '../../reference-server/deviations/index.ts'
import { provenBy } from './null-servers.ts'
import { faultsInDialects } from './runs/attempts.ts'
import { failedIds, type TargetResult } from './verdicts.ts'

export type KillMatrix = ReturnType<typeof buildMatrix>
export type FaultLine = ReturnType<typeof faultLine>

export function buildMatrix(faults: readonly Fault[], results: readonly TargetResult[]) {
  const byName = new Map(results.map((result) => [result.name, result]))
  const linesOf = (list: readonly Fault[]) =>
    list.flatMap((fault) => {
      const result = byName.get(fault.name)
      return result ? [faultLine(fault, result)] : []
    })
  const lines = linesOf(faults)
  const killed = new Set(
    lines.flatMap(({ breaks, survived }) => breaks.filter((id) => !survived.includes(id))),
  )
  const unproven = (level: Level) =>
    requirementIds.filter((id) => requirements[id].level === level && !killed.has(id))
  const isFailed = (name: string, id: string) =>
    byName.get(name)?.requirements.some((one) => one.id === id && one.verdict === 'fail')
  const ofKind = (kind: TargetResult['kind']) => results.filter((result) => result.kind === kind)
  return {
    faults: lines,
    /** Requirements that no fault turns red. */
    unproven: { required: unproven('required'), expected: unproven('expected') },
    neverNeeded: neverNeeded(lines),
    dialects: ofKind('dialect').map(dialectLine),
    /** Several dialects at once, by seed. */
    combinations: ofKind('combination').map(dialectLine),
    nullServers: ofKind('null').map(nullLine),
    faultsInDialects: linesOf(faultsInDialects).map((line) => ({
      ...line,
      // A legal server may be warned.
      undeclared: line.undeclared.filter((id) => isFailed(line.name, id)),
    })),
  }
}

/** Results that invalidate a proof; empty if it holds. */
export function objections(matrix: KillMatrix, results: readonly TargetResult[]): string[] {
  return [
    ...[...matrix.faults, ...matrix.faultsInDialects].flatMap(
      ({ name, survived, undeclared, applied }) => [
        ...(applied ? [] : [`${name}: never took effect`]),
        ...survived.map((id) => `${name}: survives ${id}`),
        ...undeclared.map((id) => `${name}: turns ${id} red without naming it`),
      ],
    ),
    ...[...matrix.dialects, ...matrix.combinations].flatMap(({ name, failed, applied }) => [
      ...(applied ? [] : [`${name}: never took effect`]),
      ...failed.map((id) => `${name}: a legal server is accused by ${id}${messageOf(name, id)}`),
    ]),
    ...matrix.dialects.flatMap(({ name, undecided }) =>
      undecided
        .filter((id) => !(leftOpen[name] ?? []).includes(id))
        .map((id) => `${name}: a legal server leaves ${id} undecided${messageOf(name, id)}`),
    ),
    ...matrix.nullServers.flatMap(({ name, passed }) =>
      passed.map((id) => `${name}: ${id} passes against a server that does nothing`),
    ),
    ...results.flatMap(({ name, internalErrors }) =>
      internalErrors.map((fault) => `${name}: internal error: ${fault}`),
    ),
    ...results.flatMap(({ name, requirements }) =>
      requirements
        .filter(({ message }) => message !== null && quotesInternals(message))
        .map(({ id, message }) => `${name}: the message of ${id} quotes internals: ${message}`),
    ),
    ...results.flatMap((result) =>
      result.requirements
        .filter(({ id }) => failedIds(result).includes(id))
        .flatMap(({ id, message }) => {
          const problem = messageProblem(message ?? '')
          return problem ? [`${result.name}: the message of ${id} ${problem}: ${message}`] : []
        }),
    ),
    ...results
      .filter(({ kind }) => kind === 'clean')
      .flatMap((result) =>
        failedIds(result).map((id) => `${result.name}: the plain server breaks ${id}`),
      ),
  ]

  function messageOf(target: string, requirement: string): string {
    const result = results.find(({ name }) => name === target)
    const message = result?.requirements.find(({ id }) => id === requirement)?.message
    return message ? `: ${message}` : ''
  }
}

/** One fault: what it breaks, what turned red, and which scenarios found it. */
function faultLine({ name, summary, breaks }: Fault, { requirements, applied }: TargetResult) {
  const red = failedIds({ requirements })
  const declared: readonly string[] = breaks
  const own = requirements.filter(({ id }) => declared.includes(id))
  return {
    name,
    summary,
    breaks: declared,
    /** Scenarios that found a declared requirement broken. */
    killedBy: [...new Set(own.flatMap(({ brokenBy }) => brokenBy))].sort(),
    /** Declared requirements that did not turn red: the fault survives there. */
    survived: declared.filter((id) => !red.includes(id)),
    /** Requirements that turned red although the fault does not name them. */
    undeclared: red.filter((id) => !declared.includes(id)),
    applied,
  }
}

function dialectLine({ name, requirements, applied }: TargetResult) {
  const ids = (sought: string) =>
    requirements.filter(({ verdict }) => verdict === sought).map(({ id }) => id)
  const dialect = dialects.find((one) => one.name === name) ?? combinationNamed(name)
  return {
    name,
    summary: dialect?.summary ?? '',
    failed: ids('fail'),
    warned: ids('warn'),
    /** Required ones. */
    undecided: ids('inconclusive').filter(
      (id) => requirements.find((one) => one.id === id)?.level === 'required',
    ),
    applied,
  }
}

/** Required requirements that legal servers leave undecided: models that recall no fact, lists without a cursor. */
export const leftOpen: Readonly<Record<string, readonly string[]>> = {
  'answers-differ-each-time': ['OAI-STOP-01', 'OAI-STOP-02', 'OAI-STOP-05'],
  'facts-not-understood': ['V2-CTX-01', 'V3-CTX-01', 'V3-ONE-04', 'V3-ONE-05'],
  'facts-mixed-up': ['V2-CTX-01', 'V3-CTX-01', 'V3-ONE-05'],
  'facts-repeated': ['V2-CTX-01', 'V3-CTX-01', 'V3-ONE-05'],
  'facts-first-told': ['V3-CTX-01'],
  'lists-bare': ['V3-CHAT-08', 'V3-ATT-10'],
}

/** Required requirements that passed without evidence. */
function nullLine({ name, requirements }: TargetResult) {
  const passed = requirements.filter(
    ({ level, verdict }) => level === 'required' && verdict === 'pass',
  )
  const allowed = provenBy(name)
  return { name, passed: passed.map(({ id }) => id).filter((id) => !allowed.includes(id)) }
}

/** Scenarios that no fault needs: another one also kills every fault that they kill. */
function neverNeeded(lines: readonly FaultLine[]): string[] {
  const needed = new Set(lines.flatMap(({ killedBy }) => (killedBy.length === 1 ? killedBy : [])))
  const all = new Set(lines.flatMap(({ killedBy }) => killedBy))
  return [...all].filter((scenario) => !needed.has(scenario)).sort()
}

/** Phrases of assertion libraries, of JavaScript or of internal enums, which no message may quote. */
const privateWords =
  /\bto (?:be|have|equal|contain|deeply|match)\b.*\bexpected\b|\bexpected\b.*\bto (?:be (?!sent|a list)|have|equal|contain|deeply|match)|AssertionError|\bObject\.is\b|\[ ?Array\(|\[object |\bundefined\b|\bNaN\b|\bbunched\b|\bfalse to be\b|\btrue to be\b|\bto(?:Be|Equal|Match|Contain)\b|\btruthy\b|\bfalsy\b|ZodError|\binvalid_type\b|\bnode:internal\b/

/** Finite verbs of the messages; a clause without one makes no statement about its subject. */
const finiteVerb =
  /\b(?:is|are|was|were|has|have|had|does|do|did|can|cannot|must|arrived|arrives|ate|calls?|came|changed|changes|comes|contains?|continues?|creates?|cut|describes?|differs?|ended|ends|equals?|expected|finds?|follows?|gave|gives|got|grows?|holds?|keeps?|knows?|lacks?|leaves?|lies|lists?|made|makes?|names?|occurs?|rejects?|repeats?|returns?|searched|sent|shows?|starts?|stated|states?|stays?|stops?|succeeds|took|used|uses)\b/i

const comparison = /^(?<subject>.+): expected (?<expected>.+?), received (?<received>.+)$/s

export function quotesInternals(message: string): boolean {
  return privateWords.test(message)
}

/**
 * Reason why the message of a violated requirement is not a sentence with expected and received;
 * undefined if it is one.
 */
export function messageProblem(message: string): string | undefined {
  if (quotesInternals(message)) return 'quotes internals'
  if (/\b(?:is|are|has) nothing\b/.test(message)) return 'calls a missing value nothing'
  if (/^(?:expected that|unexpected:) /.test(message)) return 'does not say what was received'
  const { subject, expected, received } = comparison.exec(message)?.groups ?? {}
  if (subject === undefined) {
    return finiteVerb.test(message) ? undefined : 'has no verb'
  }
  if (expected === received) return 'expects what it received'
  const isClause = expected === 'yes' || expected === 'no'
  return isClause && !finiteVerb.test(subject)
    ? 'asks yes or no of a clause without a verb'
    : undefined
}

/** `docs/internals/proof.md`: totals of a whole proof, by area. */
export function proofPage(matrix: KillMatrix): string {
  const { faults, dialects, combinations, nullServers, unproven, neverNeeded } = matrix
  const without = [...unproven.required, ...unproven.expected]
  return `${[
    '# Proof',
    introduction,
    [
      `- ${share(faults, isKilled)} faults fail exactly the requirements that they name.`,
      `- Requirements that no fault violates: ${without.length === 0 ? 'none' : without.join(', ')}.`,
      `- ${share(dialects, hasNone)} dialects and ${share(combinations, hasNone)} random combinations of them fail no requirement.`,
      `- ${share(nullServers, ({ passed }) => passed.length === 0)} null servers pass no required requirement.`,
      `- ${share(matrix.faultsInDialects, isKilled)} faults within a dialect do the same.`,
      `- ${neverNeeded.length} scenarios detect only faults that other scenarios detect as well.`,
    ].join('\n'),
    generated,
    '## By area',
    areaTable(faults),
  ].join('\n\n')}\n`
}

const introduction = `Generated by \`npm run prove -- --write DIR\`, which also writes every fault, dialect and null server with
its verdicts to \`DIR/kill-matrix.json\`; edits are overwritten.

A _fault_ is the reference server with one narrow violation, a _dialect_ the reference server with unusual but legal
behavior, a _null server_ one that implements nothing. \`chatgen serve --list-faults\` prints all faults, each with the
requirements that it violates, and \`chatgen serve --fault NAME\` starts one, so that each result can be reproduced.`

const generated = `## Generated faults

A grammar makes faults of the contract: an operation or a member of its schemas, an effect (refuse, accept, fail, ignore,
lose, repeat, mangle, leak, reorder, another type, status or form), and one or two conditions (form, model, kind of text,
\`think\`, \`rag\`, tools, position in a chat, page, caller, …). The name says it all, and starts it:
\`chatgen serve --fault 'v3.generate: earlier turns are not read (occurrence: after another model)'\`. Effects apply where
handwritten faults do, and never to what the document leaves open.

\`npm run prove -- --generated N --seed S --depth quick,normal,full\` draws N of them. A fault has _no effect_ if it changed
requests or answers and nothing on the wire that two runs without it have in common; it is _not reached_ if no request of
the suites gives it something to change: what the suites do not try. The share is that of all others.

[The page on trust](../trust.md#generated-faults) has samples with their seeds.`

function areaTable(faults: readonly FaultLine[]): string {
  const areas = [...new Set(requirementIds.map(areaOf))]
  const rows = areas.map((area) => {
    const own = faults.filter(({ breaks: [id = ''] }) => isRequirementId(id) && areaOf(id) === area)
    const ids = requirementIds.filter((id) => areaOf(id) === area)
    return `| ${area} | ${ids.length} | ${own.length} | ${own.filter(isKilled).length} |`
  })
  const head = ['| Area | Requirements | Faults | Killed |', '| --- | --- | --- | --- |']
  return [...head, ...rows].join('\n')
}

function isKilled({ survived, undeclared }: FaultLine): boolean {
  return survived.length + undeclared.length === 0
}

function hasNone({ failed }: { readonly failed: readonly string[] }): boolean {
  return failed.length === 0
}

function share<T>(all: readonly T[], holds: (one: T) => boolean): string {
  return `${all.filter(holds).length} of ${all.length}`
}
