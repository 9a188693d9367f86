import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { ConfigurationError } from '../errors.ts'
import { reportOf, resultOf } from '../test-support/reports.ts'
import { updateBaseline } from './compare.ts'
import { baselineText, loadBaseline, toBeWritten } from './file.ts'

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
  try {
    load(text)
    return []
  } catch (error) {
    return error instanceof ConfigurationError ? error.problems : [String(error)]
  }
}

describe('a baseline is read', () => {
  test('from YAML, with its optional members', () => {
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

  test('as the documentation shows it', () => {
    const page = readFileSync(new URL('../../../docs/ci.md', import.meta.url), 'utf8')
    const [, example = ''] = page.match(/```yaml\n(V3-IDEM-02:[\s\S]*?)```/) ?? []
    expect([...load(example).entries.keys()]).toEqual(['V3-IDEM-02'])
  })

  test('from JSON, and from a file that is empty', () => {
    const json = '{"KB-01": {"because": "no knowledge yet"}}'
    expect([...load(json).entries.keys()]).toEqual(['KB-01'])
    expect(load('# nothing\n').entries.size).toBe(0)
  })

  test.each([
    ['V3-IDM-02: { because: x }', 'there is no such requirement. Did you mean V3-IDEM-02?'],
    ['V3-IDEM-02: { owner: x }', 'V3-IDEM-02.because: must give the reason why'],
    ['V3-IDEM-02: { because: "  " }', 'V3-IDEM-02.because: must give the reason why'],
    ['V3-IDEM-02:', 'an entry is a mapping'],
    [
      'V3-IDEM-02: { becuase: x }',
      'V3-IDEM-02.becuase: there is no such field. Did you mean because?',
    ],
    ['V3-IDEM-02: { because: x, until: 2026-02-30 }', 'V3-IDEM-02.until: must be a day'],
    ['V3-IDEM-02: { because: x, fingerprint: 12 }', 'V3-IDEM-02.fingerprint: must be unchanged'],
    [`V3-IDEM-02: { because: ${toBeWritten} }`, 'V3-IDEM-02.because: not filled in yet'],
    ['- V3-IDEM-02', 'a baseline is a mapping'],
    ['V3-IDEM-02: { because: x }\nV3-IDEM-02: { because: y }', 'unique'],
  ])('but not from %s', (text, problem) => {
    expect(problemsOf(`# line 1\n${text}`).join('\n')).toContain(problem)
  })

  test('and every problem is named with its line', () => {
    expect(problemsOf('KB-01: { because: x }\nKB-1: {}\nKB-02: {}\n')).toEqual([
      'known.yaml:3: KB-02.because: must give the reason why the violation is accepted',
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

describe('a baseline is updated', () => {
  test('and keeps what people wrote, comments and all', () => {
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
        fingerprint: v2-ba37f204b3f974c5
        found: the history of <n> has <n> steps
      V3-SSE-05:
        because: TO BE WRITTEN
        fingerprint: v2-9ac5d19a4d5e6744
        found: the first event is response.output_item.added
      "
    `)
  })

  test('from nothing, by a file that the next run refuses', () => {
    const first = updated('')
    expect(first).toMatchInlineSnapshot(`
      "# Known violations by requirement id, for chatgen check --baseline. Each says because of what it is
      # accepted; issue, owner and until (the last day on which the entry counts) may be added.

      V3-IDEM-02:
        because: TO BE WRITTEN
        fingerprint: v2-ba37f204b3f974c5
        found: the history of <n> has <n> steps
      V3-SSE-05:
        because: TO BE WRITTEN
        fingerprint: v2-9ac5d19a4d5e6744
        found: the first event is response.output_item.added
      "
    `)
    expect(problemsOf(first)).toEqual([
      'known.yaml:4: V3-IDEM-02.because: not filled in yet',
      'known.yaml:8: V3-SSE-05.because: not filled in yet',
    ])
    expect(problemsOf(first.replaceAll(toBeWritten, 'it is known'))).toEqual([])
  })

  test('and says what it did', () => {
    const { added, changed, removed } = updateBaseline(report, load(text))
    expect({ added, changed, removed }).toEqual({
      added: ['V3-SSE-05'],
      changed: ['V3-IDEM-02'],
      removed: ['OAI-ERR-01'],
    })
  })

  test('with warnings where the run is strict', () => {
    const { added } = updateBaseline({ ...report, strict: true }, load(text))
    expect(added).toEqual(['V3-SSE-05', 'V3-SSE-07'])
  })

  test('once: a second update changes nothing', () => {
    for (const name of ['known.yaml', 'known.json']) {
      const once = updated(name === 'known.yaml' ? text : '', report, name)
      expect(updated(once, report, name)).toBe(once)
      expect(Object.keys(Object.fromEntries(load(once, 'kept', name).entries))).toEqual(
        [...load(once, 'kept', name).entries.keys()].toSorted(),
      )
    }
  })

  test('to nothing where all is repaired', () => {
    const clean = reportOf(
      report.requirements.map((requirement) => ({ ...requirement, verdict: 'pass' as const })),
    )
    expect(load(updated(text, clean)).entries.size).toBe(0)
  })
})
