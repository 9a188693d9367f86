import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { requirementIds } from '../../../contract/index.ts'
import {
  type ConformanceReport,
  type RequirementResult,
  type Verdict,
  verdicts,
} from '../../../contract/report/conformance.ts'
import { forAll, forSome } from '../../../contract/test-support/for-all.ts'
import { reportOutcome } from '../report/build-report.ts'
import { problemsIn, reportOf, resultOf } from '../test-support/reports.ts'
import {
  applyBaseline,
  type Baseline,
  type BaselineEntry,
  baselineText,
  fingerprintOf,
  loadBaseline,
  toBeWritten,
  updateBaseline,
} from './baseline.ts'

const today = '2026-06-15'
const broken = resultOf('V3-IDEM-02', { message: 'the history of 4711 has 2 steps for one key' })

function baselineOf(entries: Readonly<Record<string, BaselineEntry>>): Baseline {
  return { file: 'known.yaml', entries: new Map(Object.entries(entries)) }
}

function judged(entry: Partial<BaselineEntry>, requirement: RequirementResult = broken) {
  const baseline = baselineOf({
    [requirement.id]: { because: 'a migration is under way', ...entry },
  })
  return applyBaseline(reportOf([requirement]), baseline, today)
}

describe('a baseline entry that matches the run', () => {
  test('excuses the violation, with its reason in the report', () => {
    const details = { issue: 'CHAT-17', owner: 'platform', until: '2026-12-31' }
    const report = judged({ ...details, fingerprint: fingerprintOf(broken) })
    expect(report.outcome).toBe('conforms')
    expect(report.requirements.map(({ known }) => known)).toEqual([true])
    expect(report.totals.known).toBe(1)
    const violation = { id: 'V3-IDEM-02', because: 'a migration is under way', ...details }
    expect(report.baseline).toEqual({ file: 'known.yaml', known: [violation], problems: [] })
  })

  test('also excuses requirements that are blocked by it', () => {
    const waiting = resultOf('V3-IDEM-03', { verdict: 'inconclusive', blockedBy: 'V3-IDEM-02' })
    const further = resultOf('V3-IDEM-04', { verdict: 'inconclusive', blockedBy: 'V3-IDEM-03' })
    const other = resultOf('V3-IDEM-05', { verdict: 'inconclusive' })
    const baseline = baselineOf({ 'V3-IDEM-02': { because: 'a migration is under way' } })
    const outcome = (...requirements: RequirementResult[]) =>
      applyBaseline(reportOf(requirements), baseline, today).outcome
    expect(outcome(broken, waiting, further)).toBe('conforms')
    expect(outcome(broken, waiting, other)).toBe('incomplete')
  })
})

const written = { fingerprint: fingerprintOf(broken), found: '<n> steps' }
test.each<[string, Partial<BaselineEntry>, Partial<RequirementResult>]>([
  ['passes: V3-IDEM-02 passes now: delete its entry', { until: '2026-01-31' }, { verdict: 'pass' }],
  [
    'excuses nothing: V3-IDEM-02 is not-applicable (the profile says so): its entry has no effect',
    ...([{}, { verdict: 'not-applicable', message: 'the profile says so' }] as const),
  ],
  [
    'expired: V3-IDEM-02 has an entry that expired on 2026-06-14 (a migration is under way)',
    ...([{ until: '2026-06-14' }, {}] as const),
  ],
  [
    'differs: V3-IDEM-02 fails differently now: the repeat was answered 500; the entry was written for: <n> steps',
    ...([written, { message: 'the repeat was answered 500' }] as const),
  ],
  [
    'differs: V3-IDEM-02 may fail differently: another version of chatgen wrote its fingerprint, compare and run --update-baseline. Now: two steps; the entry was written for: <n> steps',
    ...([
      { ...written, fingerprint: written.fingerprint.replace(/^v\d+/, 'v1') },
      { message: 'two steps' },
    ] as const),
  ],
  [
    'unwritten: V3-IDEM-02 has an entry without a reason: fill in because',
    ...([{ because: toBeWritten }, {}] as const),
  ],
])('a baseline entry is a problem if it %s', (problem, entry, more) => {
  const { outcome, baseline, requirements } = judged(entry, { ...broken, ...more })
  expect(baseline?.problems.map(({ kind, message }) => `${kind}: ${message}`)).toEqual([problem])
  expect(requirements.some(({ known }) => known)).toBe(false)
  expect(outcome).toBe('violated')
})

describe('a baseline', () => {
  const verdict = fc.constantFrom(...verdicts)
  const until = fc.constantFrom(undefined, '2026-06-14', today, '2027-01-01')
  const print = fc.constantFrom('none', 'same', 'other')
  const result = fc.record({
    id: fc.constantFrom(...requirementIds.slice(0, 40)),
    verdict,
    message: fc.constantFrom('answered 422', 'answered 500', null),
  })

  test('excuses, expires and fails by verdict, date, fingerprint and reason', () => {
    const reason = fc.constantFrom('a reason', toBeWritten)
    const entries = fc.record({ until, print, because: reason, interrupted: fc.boolean() })
    forSome(500, result, entries, (some, { until, print, because, interrupted }) => {
      const own = resultOf(some.id, some)
      const printed = print === 'same' ? own : { id: own.id, message: 'something else' }
      const fingerprint = print === 'none' ? undefined : fingerprintOf(printed)
      const entry = { because, ...(until && { until }), ...(fingerprint && { fingerprint }) }
      const baseline = baselineOf({ [own.id]: entry })
      const report = applyBaseline({ ...reportOf([own]), interrupted }, baseline, today)
      const kinds = report.baseline?.problems.map(({ kind }) => kind)
      const isBroken = own.verdict === 'fail' || own.verdict === 'warn'
      const isStale = ['pass', 'not-applicable', 'observed', 'unclaimed'].includes(own.verdict)
      const isExpired = until === '2026-06-14'
      const isDraft = because === toBeWritten
      const excused = isBroken && !isExpired && !isDraft && print !== 'other'
      expect(report.requirements[0]?.known).toBe(excused)
      expect(report.baseline?.known.map(({ id }) => id)).toEqual(excused ? [own.id] : [])
      const isProblem = (isStale && !interrupted) || isExpired || (isBroken && !excused)
      expect(kinds?.length).toBe(isProblem ? 1 : 0)
      if (excused) expect(report.outcome).toBe('conforms')
      if (kinds?.length) expect(report.outcome).toBe('violated')
    })
  })

  test('leaves requirements without an entry unchanged', () => {
    const requirements = fc.uniqueArray(result, { selector: ({ id }) => id, maxLength: 12 })
    const named = fc.subarray([...requirementIds.slice(0, 40)])
    forAll(requirements, named, (some, ids) => {
      const plain = reportOf(some.map((one) => resultOf(one.id, one)))
      const entries = Object.fromEntries(ids.map((id) => [id, { because: 'a reason' }]))
      const after = applyBaseline(plain, baselineOf(entries), today)
      for (const [at, own] of after.requirements.entries()) {
        expect({ ...own, known: false }).toEqual(plain.requirements[at])
        if (own.known) expect(ids).toContain(own.id)
      }
      const open = after.requirements.filter(({ known }) => !known)
      const violated = open.some((own) => own.verdict === 'fail')
      if (violated) expect(after.outcome).toBe('violated')
      if (after.baseline?.problems.length === 0) {
        expect(after.outcome).toBe(reportOutcome(after))
      }
      expect(applyBaseline(after, baselineOf(entries), today)).toEqual(after)
      expect(applyBaseline(plain, baselineOf({}), today).outcome).toBe(plain.outcome)
    })
  })
})

const text = `# Ours.
V3-IDEM-02: # the oldest
  because: a migration is under way
  until: 2026-12-31
  issue: 17
  fingerprint: v2-0123456789abcdef
OAI-ERR-01:
  owner: platform
  because: >
    the gateway answers for us
`

function load(text: string, drafts: 'refused' | 'kept' = 'refused', name = 'known.yaml') {
  return loadBaseline({ name, text }, drafts)
}

function problemsOf(text: string): readonly string[] {
  return problemsIn(() => load(text))
}

describe('loadBaseline', () => {
  test('reads YAML with optional fields', () => {
    expect(Object.fromEntries(load(text).entries)).toEqual({
      'V3-IDEM-02': {
        because: 'a migration is under way',
        until: '2026-12-31',
        issue: '17',
        fingerprint: 'v2-0123456789abcdef',
      },
      'OAI-ERR-01': { owner: 'platform', because: 'the gateway answers for us' },
    })
  })

  test('reads the example of the documentation', () => {
    const page = readFileSync(new URL('../../../docs/ci.md', import.meta.url), 'utf8')
    const [, example = ''] = page.match(/```yaml\n(V3-IDEM-02:[\s\S]*?)```/) ?? []
    expect([...load(example).entries.keys()]).toEqual(['V3-IDEM-02'])
  })

  test('reads JSON and an empty file', () => {
    const json = '{"KB-01": {"because": "no knowledge yet"}}'
    expect([...load(json).entries.keys()]).toEqual(['KB-01'])
    expect(load('# nothing\n').entries.size).toBe(0)
  })

  test.each([
    ['V3-IDM-02: { because: x }', 'there is no such requirement. Did you mean V3-IDEM-02?'],
    ['V3-IDEM-02: { owner: x }', 'V3-IDEM-02.because: must give the reason for'],
    ['V3-IDEM-02: { because: "  " }', 'V3-IDEM-02.because: must give the reason for'],
    ['V3-IDEM-02:', 'an entry is a mapping'],
    [
      'V3-IDEM-02: { becuase: x }',
      'V3-IDEM-02.becuase: there is no such field. Did you mean because?',
    ],
    ['V3-IDEM-02: { because: x, until: 2026-02-30 }', 'V3-IDEM-02.until: must be a day'],
    ['V3-IDEM-02: { because: x, fingerprint: 12 }', 'V3-IDEM-02.fingerprint: must stay as'],
    [`V3-IDEM-02: { because: ${toBeWritten} }`, 'V3-IDEM-02.because: not filled in yet'],
    ['- V3-IDEM-02', 'a baseline is a mapping'],
    ['V3-IDEM-02: { because: x }\nV3-IDEM-02: { because: y }', 'unique'],
  ])('rejects %j', (text, problem) => {
    expect(problemsOf(`# line 1\n${text}`).join('\n')).toContain(problem)
  })

  test('names each problem with its line', () => {
    expect(problemsOf('KB-01: { because: x }\nKB-1: {}\nKB-02: {}\n')).toEqual([
      'known.yaml:3: KB-02.because: must give the reason for accepting the violation',
      'known.yaml:2: KB-1: there is no such requirement. Did you mean KB-01?',
    ])
  })
})

const report = reportOf([
  resultOf('V3-IDEM-02', { message: 'the history of 4711 has 2 steps' }),
  resultOf('V3-SSE-05', { message: 'the first event is response.output_item.added' }),
  resultOf('V3-SSE-07', { verdict: 'warn', message: 'sequence_number 3 follows 3' }),
  resultOf('OAI-ERR-01', { verdict: 'pass' }),
  resultOf('V2-MSG-01', { verdict: 'inconclusive' }),
])

function updated(before: string, of = report, name = 'known.yaml'): string {
  const source = { name, text: before }
  return baselineText(source, updateBaseline(of, loadBaseline(source, 'kept')).entries)
}

describe('an update of a baseline', () => {
  test('keeps fields and comments that people wrote', () => {
    const before = `${text}\n# waits\nV2-MSG-01: { because: no chat to try it on }\n`
    expect(updated(before)).toMatchInlineSnapshot(`
      "# waits
      V2-MSG-01: { because: no chat to try it on }
      # Ours.
      V3-IDEM-02:
        # the oldest
        because: a migration is under way
        until: 2026-12-31
        issue: 17
        fingerprint: v4-ba37f204b3f974c5
        found: the history of <n> has <n> steps
      V3-SSE-05:
        because: TO BE WRITTEN
        fingerprint: v4-9ac5d19a4d5e6744
        found: the first event is response.output_item.added
      "
    `)
  })

  test('creates a draft that the next run rejects', () => {
    const first = updated('')
    expect(first).toMatchInlineSnapshot(`
      "# Known violations by requirement id, for chatgen check --baseline. Each gives, in because, the
      # reason for accepting it; issue, owner and until (the last day on which the entry is valid) are optional.

      V3-IDEM-02:
        because: TO BE WRITTEN
        fingerprint: v4-ba37f204b3f974c5
        found: the history of <n> has <n> steps
      V3-SSE-05:
        because: TO BE WRITTEN
        fingerprint: v4-9ac5d19a4d5e6744
        found: the first event is response.output_item.added
      "
    `)
    expect(problemsOf(first)).toEqual([
      'known.yaml:4: V3-IDEM-02.because: not filled in yet',
      'known.yaml:8: V3-SSE-05.because: not filled in yet',
    ])
    expect(problemsOf(first.replaceAll(toBeWritten, 'it is known'))).toEqual([])
  })

  test('reports added, changed and removed entries', () => {
    const { added, changed, removed } = updateBaseline(report, load(text))
    expect({ added, changed, removed }).toEqual({
      added: ['V3-SSE-05'],
      changed: ['V3-IDEM-02'],
      removed: ['OAI-ERR-01'],
    })
  })

  test('adds warnings if the run is strict', () => {
    const { added } = updateBaseline({ ...report, strict: true }, load(text))
    expect(added).toEqual(['V3-SSE-05', 'V3-SSE-07'])
  })

  test('is idempotent', () => {
    for (const name of ['known.yaml', 'known.json']) {
      const once = updated(name === 'known.yaml' ? text : '', report, name)
      expect(updated(once, report, name)).toBe(once)
      const ids = [...load(once, 'kept', name).entries.keys()]
      expect(ids).toEqual(ids.toSorted())
    }
  })

  const explored = { exploration: { operations: 200, violations: 1 } }
  test.each<[string, Partial<ConformanceReport>, object, string]>([
    ['depth', { depth: 'full' }, { depth: 'full' }, 'one'],
    ['number of random operations', explored, { explore: 200 }, 'explore'],
  ])('records the lowest %s, below which a pass is no problem', (_, more, entry, by) => {
    const at = (verdict: Verdict, run: Partial<ConformanceReport>, by = 'one') =>
      reportOf([{ ...broken, verdict, brokenBy: [by] }], run)
    const file = updated('', at('fail', more, by))
    const baseline = load(file.replace(toBeWritten, 'known'))
    expect(baseline.entries.get(broken.id)).toMatchObject(entry)
    const less = { depth: 'normal' } as const
    const problems = [less, more].map((run) => applyBaseline(at('pass', run), baseline, today))
    expect(problems.map(({ outcome }) => outcome)).toEqual(['conforms', 'violated'])
    expect(updated(file, at('pass', less))).toBe(file)
    expect(updated(file, at('fail', less))).toMatch(/ {2}depth: normal\n$/)
  })
})

test('a fingerprint is the same for one endpoint and for several, unless one of them passes', () => {
  const of = (message: string, alone?: Readonly<Record<string, 'violated' | 'passed'>>) =>
    fingerprintOf({
      ...{ id: 'V3-FAV-01', message },
      ...(alone && { endpoints: { between: ['A', 'B'], alone } }),
    })
  const one = of('the list is empty')
  const both = { A: 'violated', B: 'violated' } as const
  expect(of('the list is empty (violated on each endpoint alone as well)', both)).toBe(one)
  const passes = 'the list is empty (violated on A alone, passes on B alone)'
  expect(of(passes, { A: 'violated', B: 'passed' })).not.toBe(one)
})
