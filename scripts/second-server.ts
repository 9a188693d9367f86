/**
 * Runs the suites against every violation of the second server: npm run prove:second [-- --only TEXT].
 * Ends with 1 where the healthy server is accused or a violation is found by none of its requirements.
 */
import { parseArgs } from 'node:util'
import { inlineEngine } from '../harness/conformance/vitest/engine.ts'
import { judgeSecondServer } from '../harness/proof/test-support/second-server/judged.ts'
import { violations } from '../harness/proof/test-support/second-server/violations/index.ts'
import { redRows, verdictsOf } from '../harness/proof/verdicts.ts'

const exit = process.exit.bind(process)
const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } })
const engine = inlineEngine()

const healthy = await judge({})
console.log(`healthy: ${healthy.join(', ') || 'conforms'}`)
let missed = 0
for (const { name, breaks, changes } of violations) {
  if (!name.includes(values.only)) continue
  const started = Date.now()
  const red = (await judge(changes)).filter((id) => !healthy.includes(id))
  const found = red.some((id) => breaks.includes(id))
  if (!found) missed += 1
  const others = red.filter((id) => !breaks.includes(id))
  const seen = found ? 'found ' : others.length > 0 ? 'OTHER ' : 'MISSED'
  console.log(
    `${seen} ${name} [${breaks.join(' ')}]: ${red.join(', ')} (${Date.now() - started} ms)`,
  )
}
console.log(`${missed} missed of ${violations.length}`)
exit(missed > 0 ? 1 : 0)

async function judge(changes: Parameters<typeof judgeSecondServer>[0]): Promise<readonly string[]> {
  const report = await judgeSecondServer(changes, { engine })
  for (const { scenario, message } of report.faults) console.log(`  ${scenario}: ${message}`)
  return redRows({ rows: verdictsOf(report) })
}
