/**
 * Certifies the reference server, the second server, dialects and test-detecting servers; the proof has the faults.
 *
 *   npm run certify:truth -- [options]
 *
 * Exits with 1 if a legal server is refused (but as undecided, if its model shows nothing of a
 * requirement), if a bundle does not verify, or if a test-detecting server is certified.
 *
 *   --kinds LIST   of clean, second, dialect, detecting (default: all)
 *   --only TEXT    only those whose name contains it
 *   --sample N     so many of each kind, evenly spread (default: all)
 *   --part K/N     every Nth of them, from the Kth on, so that N processes share them (default: 1/1)
 *   --from N       leaves out so many of the part, to go on where a run has ended
 *
 *   npm run certify:truth -- --kinds clean,detecting
 *   for k in 1 2; do npm run certify:truth -- --kinds dialect --part $k/2 & done; wait
 */
import { TargetUnusableError } from '../harness/conformance/errors.ts'
import { inlineEngine } from '../harness/conformance/vitest/engine.ts'
import { certifyTarget, openDetecting } from '../harness/proof/certified/certified.ts'
import { leftOpen } from '../harness/proof/kill-matrix.ts'
import { dialectAttempt, partOf, plainAttempt, spread } from '../harness/proof/runs/attempts.ts'
import type { Attempt } from '../harness/proof/runs/run-target.ts'
import { openSecondServer } from '../harness/proof/test-support/second-server/judged.ts'
import {
  detectingServers,
  dialects,
  firstMilliseconds,
} from '../reference-server/deviations/index.ts'
import { optionsOf } from './options.ts'

/**
 * Legal servers that never or not always show these requirements: refused as undecided or unstable for them,
 * and for nothing else.
 */
const unobservable: Readonly<Record<string, readonly string[]>> = {
  ...leftOpen,
  'answers-terse': ['OAI-MAXTOK-01', 'OAI-STOP-05'],
  'facts-not-understood': ['V2-CTX-01', 'V2-CTX-02', 'V3-CTX-01', 'V3-CTX-02', 'V3-ONE-05'],
  'guesses-refused': ['V3-ONE-05'],
  'history-hides-outputs': ['V3-HIST-04', 'V3-HIST-07'],
}

function isSilent({ kind, text }: { readonly kind: string; readonly text: string }): boolean {
  return kind === 'undecided' || (kind === 'unstable' && !text.includes('violated'))
}

interface Case extends Pick<Attempt, 'name' | 'open'> {
  readonly surfaces: Attempt['selection']['profile']
  /** Requirements for which it is refused; none for a server that must be certified. */
  readonly breaks: readonly string[]
  readonly overMs?: number
}

const allKinds = 'clean,second,dialect,detecting'
const values = optionsOf(import.meta, {
  ...{ kinds: allKinds, only: '', sample: Number.POSITIVE_INFINITY, part: '1/1', from: 0 },
})

await run()

async function run(): Promise<void> {
  // vitest forbids process.exit while it runs.
  const exit = process.exit.bind(process)
  const engine = inlineEngine()
  let wrong = 0
  let count = 0
  for (const kind of values.kinds.split(',')) {
    const all = casesOf(kind).filter(({ name }) => name.includes(values.only))
    const sample = spread(all, values.sample)
    for (const one of partOf(sample, values.part).slice(values.from)) {
      const startedAt = Date.now()
      const problem = await problemOf(one)
      count += 1
      if (problem !== null) wrong += 1
      const seconds = Math.round((Date.now() - startedAt) / 1000)
      console.log(
        `${problem === null ? '  ' : '!!'} ${kind} ${one.name}: ${problem ?? 'as expected'} (${seconds} s)`,
      )
    }
  }
  console.log(`${count} certifications, ${wrong} wrong`)
  exit(wrong > 0 ? 1 : 0)

  async function problemOf({ breaks, ...target }: Case): Promise<string | null> {
    try {
      const challenge = 'truth-challenge-4b7e19d2'
      const { result, unverified } = await certifyTarget({ ...target, engine }, challenge)
      if (unverified.length > 0)
        return `certified, and its bundle does not verify: ${unverified[0]}`
      if (breaks.length === 0) {
        const ids = unobservable[target.name] ?? []
        const others = result.refusals.filter(
          (refusal) => !isSilent(refusal) || !ids.some((id) => refusal.text.startsWith(`${id} `)),
        )
        return others.length === 0 ? null : `refused: ${others[0]?.text}`
      }
      if (result.refusals.length === 0) return 'certified'
      const others = result.failed.filter((id) => !breaks.includes(id))
      return others.length === 0 ? null : `refused for ${others.join(', ')} as well`
    } catch (error) {
      if (!(error instanceof TargetUnusableError)) return `failed: ${String(error)}`
      return `refused: ${error.message}`
    }
  }
}

function casesOf(kind: string): readonly Case[] {
  switch (kind) {
    case 'clean':
      return [caseOf(plainAttempt('full'))]
    case 'second':
      return [{ name: 'second server', open: openSecondServer, surfaces: 'full', breaks: [] }]
    case 'dialect':
      return dialects.map((dialect) => caseOf(dialectAttempt('dialect', dialect)))
    case 'detecting':
      return [...detectingServers, firstMilliseconds(5_000)].map((server) => ({
        name: server.name,
        open: () => openDetecting(server),
        surfaces: server.name === 'first-requests' ? 'full' : 'openai',
        breaks: ['OAI-CHAT-02'],
        ...(server.name === 'first-minutes' && { overMs: 10_000 }),
      }))
    default:
      throw new Error(`there is no kind ${kind}: ${allKinds}`)
  }
}

function caseOf({ name, open, selection }: Attempt): Case {
  return { name, open, surfaces: selection.profile, breaks: [] }
}
