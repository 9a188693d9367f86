/** `npm run prove`: the suites against every fault, dialect and null server; writes the kill matrix. */
import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import {
  allAttempts,
  buildMatrix,
  matrixToMarkdown,
  nullServerNames,
  objections,
  redRows,
  runInPool,
  type TargetResult,
} from '../harness/proof/index.ts'
import { faults } from '../reference-server/deviations/index.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    processes: { type: 'string', default: String(Math.min(availableParallelism(), 4)) },
    verbose: { type: 'boolean', default: false },
    sample: { type: 'string' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) {
  console.log(`npm run prove -- [--only GLOB] [--sample N] [--processes N] [--verbose] [--write]

Runs the suites against every fault, dialect and null server (or those that a glob names) and says
what a proof must not show. --sample takes so many of them, evenly spread. --write writes docs/kill-matrix.md and docs/kill-matrix.json.

  npm run prove -- --only 'openai-*'
  npm run prove -- --only null-echo --verbose`)
} else {
  const all = [...allAttempts().map(({ name }) => name), ...nullServerNames].filter(wanted)
  const names = spread(all, Number(values.sample ?? all.length))
  const started = Date.now()
  const first = await runInPool(names, Number(values.processes), (result, done) => {
    const red = redRows(result)
    console.log(
      `${done}/${names.length} ${result.name} (${result.durationMs} ms): ${red.join(' ') || 'nothing red'}`,
    )
    if (!values.verbose) return
    for (const { id, verdict, message } of result.rows) {
      if (['fail', 'warn', 'error', 'inconclusive'].includes(verdict))
        console.log(`    ${id} ${verdict}: ${message}`)
    }
  })
  const doubtful = first.filter((result) => objectionsTo([result]).length > 0)
  if (doubtful.length > 0) console.log(`${doubtful.length} targets are run again, one at a time`)
  const again = await runInPool(
    doubtful.map(({ name }) => name),
    1,
    () => {},
  )
  const unstable = again.filter((result) => objectionsTo([result]).length === 0)
  for (const { name } of unstable) console.log(`?? ${name}: another verdict the second time`)
  const results = first.map((result) => again.find(({ name }) => name === result.name) ?? result)
  const matrix = buildMatrix(faults, results)
  const found = objections(matrix, results)
  if (values.write) {
    writeFileSync('docs/kill-matrix.md', matrixToMarkdown(matrix))
    writeFileSync('docs/kill-matrix.json', `${JSON.stringify(matrix, null, 2)}\n`)
  }
  for (const objection of found) console.log(`!! ${objection}`)
  const seconds = Math.round((Date.now() - started) / 1000)
  console.log(
    `${names.length} targets in ${seconds} s: ${found.length} objections, ${unstable.length} unstable`,
  )
  process.exitCode = found.length === 0 ? 0 : 1
}

function objectionsTo(results: readonly TargetResult[]): readonly string[] {
  return objections(buildMatrix(faults, results), results)
}

/** So many of a list, at even distances. */
function spread(list: readonly string[], count: number): readonly string[] {
  const step = Math.max(1, list.length / count)
  return list.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step))
}

function wanted(name: string): boolean {
  if (values.only.length === 0) return true
  return values.only.some((glob) => new RegExp(`^${glob.replaceAll('*', '.*')}$`).test(name))
}
