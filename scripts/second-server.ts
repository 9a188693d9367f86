/**
 * Runs the suites against the second server, which was written from the document alone, or against faults of the grammar
 * in front of it.
 *
 *   npm run prove:second -- [options]
 *
 * Exits with 1 if the server itself is accused.
 *
 *   --generated N faults of the grammar that work on the wire, by seed, in front of the server: the share that
 *                 the depth catches, as in npm run prove
 *   --seed N      seed of the grammar (1)
 *   --depth NAME  quick, normal or full (normal)
 */
import { depths } from '../harness/conformance/run-setup.ts'
import { inlineEngine } from '../harness/conformance/vitest/engine.ts'
import {
  atDepth,
  generatedNames,
  generatedRunNamed,
  generatedText,
  runGenerated,
} from '../harness/proof/generated/attempts.ts'
import { recordHealthy } from '../harness/proof/generated/healthy.ts'
import { isOfTheWire } from '../harness/proof/test-support/second-server/front.ts'
import {
  judgeSecondServer,
  openSecondServer,
} from '../harness/proof/test-support/second-server/judged.ts'
import { failedIds, type TargetResult } from '../harness/proof/verdicts.ts'
import { optionsOf } from './options.ts'

const values = optionsOf(import.meta, { generated: 0, seed: 1, depth: 'normal' })

// vitest forbids process.exit while it runs.
const exit = process.exit.bind(process)
exit(values.generated > 0 ? await proveGenerated(values.generated) : await prove())

async function proveGenerated(count: number): Promise<number> {
  const depth = depths.find((name) => name === values.depth)
  if (depth === undefined) throw new Error(`--depth: expected one of ${depths.join(', ')}`)
  const engine = inlineEngine()
  const target = { open: openSecondServer }
  const healthy = await recordHealthy(depth, engine, target)
  const results: TargetResult[] = []
  for (const bare of generatedNames(20 * count, values.seed)) {
    const name = atDepth(bare, depth)
    const run = generatedRunNamed(name)
    if (run === undefined || !isOfTheWire(run.fault.patch)) continue
    if (results.length === count) break
    const result = await runGenerated(name, run, healthy, engine, target)
    results.push(result)
    console.log(
      `${results.length}/${count} ${name}: ${failedIds(result).join(' ') || 'nothing red'}`,
    )
  }
  for (const line of generatedText(results, values.seed)) console.log(line)
  return 0
}

async function prove(): Promise<number> {
  const report = await judgeSecondServer(inlineEngine())
  const accused = report.requirements.filter(({ verdict }) => verdict === 'fail')
  console.log(accused.map(({ id }) => `accused: ${id}`).join('\n') || 'the server itself conforms')
  return accused.length > 0 ? 1 : 0
}
