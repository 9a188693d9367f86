import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { targetFixture } from '../fixtures/targets.ts'
import { exploreTarget } from '../harness/explore/run.ts'
import { startDeviant } from '../harness/proof/runs/target.ts'
import { combineDialects, dialects, faults } from '../reference-server/deviations/index.ts'

const [name = 'clean', seeds = '1', operations = '200'] = process.argv.slice(2)
const names =
  name === 'dialects'
    ? dialects.map((one) => one.name)
    : name.startsWith('combinations')
      ? Array.from({ length: Number(name.slice(13)) }, (_, at) => `combination-${at + 1}`)
      : [name]
for (const name of names)
  for (let seed = 1; seed <= Number(seeds); seed += 1) {
    const deviation =
      [...dialects, ...faults].find((one) => one.name === name) ??
      (name.startsWith('combination-') ? combineDialects(Number(name.slice(12))) : undefined)
    const target = await startDeviant(
      deviation?.patch ?? ((parts) => parts),
      targetFixture('reference'),
      deviation && 'profile' in deviation ? deviation.profile : {},
      { ttftMs: 0, gapMs: 0, jitter: 0 },
    )
    const outDir = mkdtempSync(join(tmpdir(), 'chatgen-explore-'))
    const started = Date.now()
    const result = await exploreTarget(target.profile, {
      operations: Number(operations),
      seed: `s${seed}`,
      outDir,
    })
    console.log(
      name,
      seed,
      `${Date.now() - started} ms`,
      result.operations,
      'ops',
      result.requests,
      'requests',
      result.generations,
      'generations',
      'judged',
      result.judged,
    )
    for (const v of result.violations)
      console.log(
        '  ',
        v.violation.row,
        v.violation.message,
        v.foundAfter,
        v.operations.map((o) => `${o.command}/${o.chat ?? ''}/${o.variant ?? ''}`),
        v.exchanges.map(
          (e) =>
            `${e.request.method} ${new URL(e.request.url).pathname.slice(0, 40)} ${e.response?.status}`,
        ),
      )
    for (const v of result.unrepeated) console.log('  UNREPEATED', v.row, v.message)
    await target.close()
    rmSync(outDir, { recursive: true })
  }
