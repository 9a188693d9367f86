/** `npm run prove:second`: the suites against every violation of the second server. */
import { parseArgs } from 'node:util'
import { inlineEngine } from '../harness/conformance/vitest/engine.ts'
import { judgeSecondServer } from '../harness/proof/test-support/second-server/judged.ts'
import {
  type Violation,
  violations,
} from '../harness/proof/test-support/second-server/violations/index.ts'
import { redRows, verdictsOf } from '../harness/proof/verdicts.ts'

const help = `npm run prove:second -- [options]

Runs the suites against the second server, which was written from the document alone, and against each of
its violations. Exits with 1 if the server itself is accused, or if a violation is reported by none of the
requirements that it breaks.

  --only TEXT   only violations whose name contains it
  --whole       all requirements, not only those that the violation breaks`

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    whole: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) console.log(help)
else await prove(violations.filter(({ name }) => name.includes(values.only)))

async function prove(chosen: readonly Violation[]): Promise<void> {
  // vitest forbids it to what runs beside its tests.
  const exit = process.exit.bind(process)
  const engine = inlineEngine()
  const report = await judgeSecondServer({}, { engine })
  const accused = report.requirements.filter(({ verdict }) => verdict === 'fail')
  console.log(accused.map(({ id }) => `accused: ${id}`).join('\n') || 'the server itself conforms')
  const expected = redRows({ rows: verdictsOf(report) })

  let missed = 0
  for (const { name, breaks, changes, unseen } of chosen) {
    const run = async (only: readonly string[]) => {
      const rows = verdictsOf(await judgeSecondServer(changes, { engine, only }))
      return redRows({ rows }).filter((id) => !expected.includes(id))
    }
    const finds = (ids: readonly string[]) => ids.some((id) => breaks.includes(id))
    // Violations that judges see in passing show in the scenarios of other requirements as well.
    const first = await run(values.whole ? [] : breaks)
    const red = finds(first) || values.whole || unseen !== undefined ? first : await run([])
    const isFound = finds(red)
    if (!isFound && unseen === undefined) missed += 1
    const result = unseen === undefined ? red.join(', ') || 'MISSED' : `not reported: ${unseen}`
    console.log(`${isFound || unseen !== undefined ? '  ' : '!!'} ${name}: ${result}`)
  }
  console.log(`${chosen.length} violations, ${missed} missed`)
  exit(accused.length + missed > 0 ? 1 : 0)
}
