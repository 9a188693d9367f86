/**
 * Runs the suites against every fault, dialect, combination of dialects and null server.
 *
 *   npm run prove -- [options]
 *
 * The proof fails if a fault is not detected, a requirement fails that the fault does not name, a legal server fails, a
 * requirement passes against a null server, or a deviation has no effect.
 *
 *   --only GLOB        only targets whose name matches; repeatable
 *   --sample N         sample of N targets, by seed
 *   --generated N      N faults that a grammar makes, by seed; prints the share that the depth catches, by effect
 *                      and by number of conditions, and the faults that slip through; alone or with --sample
 *   --dialects N       N times three dialects, composed by seed; alone or with --sample
 *   --depth NAMES      quick, normal, full or several, for generated faults and composed dialects (full)
 *   --seed N           seed of samples, generated faults and dialects (1)
 *   --changed COMMIT   only faults of requirements that changed since a commit
 *   --stability        compare verdicts in other orders, with 1 and 8 jobs, and with a slow server
 *   --processes N      number of concurrent processes (twice the cores, at most 6)
 *   --write DIR        write the results to DIR/kill-matrix.json, and their totals to docs/internals/proof.md if all
 *                      targets were run
 *   --verbose          list every requirement that did not pass
 *
 *   npm run prove -- --only 'openai-*'
 *   npm run prove -- --only 'null-an-echo*' --verbose
 *   npm run prove -- --changed main~5
 *   npm run prove -- --generated 150 --seed 7 --depth normal,full
 *   npm run prove -- --only 'v3.generate: max_tokens is ignored (stream: true)'
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { depths } from '../harness/conformance/run-setup.ts'
import { changedSince } from '../harness/proof/changed.ts'
import {
  atDepth,
  composedNames,
  generatedNames,
  generatedText,
} from '../harness/proof/generated/attempts.ts'
import {
  buildMatrix,
  type KillMatrix,
  objections,
  proofPage,
} from '../harness/proof/kill-matrix.ts'
import { nullServerNames } from '../harness/proof/null-servers.ts'
import { allAttempts, differences, stabilityGroups } from '../harness/proof/runs/attempts.ts'
import { runInPool } from '../harness/proof/runs/pool.ts'
import { failedIds, type TargetResult } from '../harness/proof/verdicts.ts'
import { faults, generatedFaultNamed } from '../reference-server/deviations/index.ts'
import { seededDraw } from '../reference-server/runtime/random.ts'
import { isAmong, none, optionsOf } from './options.ts'

/** Targets spend much time waiting: 300 took 220 s in three processes on two cores, and 187 s in four. */
const processes = Math.min(2 * availableParallelism(), 6)
const values = optionsOf(import.meta, {
  ...{ only: none, sample: Number.POSITIVE_INFINITY, changed: '', generated: 0, dialects: 0 },
  ...{ depth: 'full', seed: 1, stability: false, processes, write: '', verbose: false },
})
/** Runs of a target with objections after the first one. */
const maxRepeats = 3
const started = Date.now()
const isSample = Number.isFinite(values.sample)
const isSelected = (name: string) => isAmong(name, values.only)

if (values.stability) await proveStability()
else await prove([...generatedAndComposed(), ...chosen()])

async function prove(names: readonly string[]): Promise<void> {
  const first = await runInPool(names, values.processes, show(names.length))
  const again = await runAgain(first)
  const unstable = [...again.values()].filter((result) => objectionsTo([result]).length === 0)
  for (const { name } of unstable) console.log(`?? ${name}: another verdict when it was run again`)
  const results = first.map((result) => again.get(result.name) ?? result)
  const matrix = buildMatrix(faults, results)
  if (values.write !== '') write(matrix, values.write)
  for (const line of generatedText(results, values.seed)) console.log(line)
  conclude(names.length, objections(matrix, results), unstable.length)
}

/** Last results of targets with objections, run one at a time: a busy machine leaves timings undecided. */
async function runAgain(
  first: readonly TargetResult[],
): Promise<ReadonlyMap<string, TargetResult>> {
  const last = new Map<string, TargetResult>()
  let doubtful = first
  for (let round = 0; round < maxRepeats; round += 1) {
    doubtful = doubtful.filter((result) => objectionsTo([result]).length > 0)
    if (doubtful.length === 0) break
    console.log(`${doubtful.length} targets are run again, one at a time`)
    const names = doubtful.map(({ name }) => name)
    doubtful = await runInPool(names, 1, () => {})
    for (const result of doubtful) last.set(result.name, result)
  }
  return last
}

function write(matrix: KillMatrix, folder: string): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'kill-matrix.json'), `${JSON.stringify(matrix, null, 1)}\n`)
  const isPart = values.only.length > 0 || isSample || values.changed !== ''
  if (!isPart)
    writeFileSync(new URL('../docs/internals/proof.md', import.meta.url), proofPage(matrix))
}

/** Generated and composed targets; undetected ones are counted, not objected to. */
function generatedAndComposed(): readonly string[] {
  const names = values.depth.split(',')
  const chosenDepths = depths.filter((name) => names.includes(name))
  if (chosenDepths.length < names.length) {
    throw new Error(`--depth: expected some of ${depths.join(', ')}`)
  }
  const { generated, dialects, seed } = values
  return [
    ...values.only.filter((name) => generatedFaultNamed(name) !== undefined),
    ...generatedNames(generated, seed),
    ...composedNames(dialects, seed),
  ].flatMap((name) => chosenDepths.map((depth) => atDepth(name, depth)))
}

async function proveStability(): Promise<void> {
  const groups = stabilityGroups()
  const names = [...new Set(groups.flat().map(({ name }) => name))].filter(isSelected)
  const results = await runInPool(names, values.processes, show(names.length))
  const byName = new Map(results.map((result) => [result.name, result]))
  const found = groups.flatMap(([subject, ...others]) =>
    others.flatMap(({ name }) => {
      const first = byName.get(subject?.name ?? '')
      const other = byName.get(name)
      return first && other ? differences(first, other).map((text) => `${name}: ${text}`) : []
    }),
  )
  conclude(names.length, found, 0)
}

function conclude(targets: number, found: readonly string[], unstable: number): void {
  for (const objection of found) console.log(`!! ${objection}`)
  const seconds = Math.round((Date.now() - started) / 1000)
  console.log(
    `${targets} targets in ${seconds} s: ${found.length} objections, ${unstable} unstable`,
  )
  // A commit may change no requirement; any other proof of nothing is a mistake in the options.
  const isEmpty = targets === 0 && values.changed === ''
  if (isEmpty) console.log('!! no target has this name')
  process.exitCode = found.length > 0 || isEmpty ? 1 : 0
}

function chosen(): readonly string[] {
  if (values.changed !== '') {
    const { rows, elsewhere, names, leftOut } = changedSince(values.changed)
    console.log(`requirements that changed since ${values.changed}: ${rows.join(' ') || 'none'}`)
    if (elsewhere.length > 0) console.log(`a sample of all faults for ${elsewhere.join(' ')}`)
    if (leftOut > 0) console.log(`${leftOut} faults of these requirements are left to a whole run`)
    return names
  }
  const isAlone = values.generated + values.dialects > 0
  if (isAlone && !isSample) return []
  const all = [...allAttempts().map(({ name }) => name), ...nullServerNames]
  return sampled(all.filter(isSelected), values.sample)
}

/** Random sample that depends only on the seed and the names; in the original order. */
function sampled(names: readonly string[], count: number): readonly string[] {
  const drawn = names.map((name) => ({ name, draw: seededDraw(values.seed, 'sample', name)() }))
  const chosen = new Set(drawn.toSorted((a, b) => a.draw - b.draw).slice(0, count))
  return drawn.filter((one) => chosen.has(one)).map(({ name }) => name)
}

function show(count: number) {
  return (result: TargetResult, done: number): void => {
    const red = failedIds(result).join(' ') || 'nothing red'
    console.log(`${done}/${count} ${result.name} (${result.durationMs} ms): ${red}`)
    for (const objection of objectionsTo([result])) console.log(`    doubtful: ${objection}`)
    if (!values.verbose) return
    for (const { id, verdict, message } of result.requirements) {
      if (['fail', 'warn', 'error', 'inconclusive'].includes(verdict))
        console.log(`    ${id} ${verdict}: ${message}`)
    }
  }
}

function objectionsTo(results: readonly TargetResult[]): readonly string[] {
  return objections(buildMatrix(faults, results), results)
}
