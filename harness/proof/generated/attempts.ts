/** Runs of the suites against faults that a grammar makes, at each depth. */
import { operations } from '../../../contract/index.ts'
import { targetFixture } from '../../../fixtures/targets.ts'
import { type GeneratedFault, generatedFault } from '../../../reference-server/deviations/index.ts'
import { type Depth, depths } from '../../conformance/run-setup.ts'
import type { Engine } from '../../conformance/vitest/engine.ts'
import { differs, type Fingerprint, fingerprintOf } from '../runs/fingerprint.ts'
import { observe } from '../runs/run-target.ts'
import { startDeviant } from '../runs/target.ts'
import type { TargetResult } from '../verdicts.ts'

export interface GeneratedRun {
  readonly fault: GeneratedFault
  readonly depth: Depth
}

/** `generated-7-12@full`: the 13th fault of seed 7 at depth full. */
export function generatedRunName(seed: number, at: number, depth: Depth): string {
  return `generated-${seed}-${at}@${depth}`
}

/** The run of a name; undefined if the name is of another target. */
export function generatedRunNamed(name: string): GeneratedRun | undefined {
  const [, seed, at, depthName] = /^generated-(\d+)-(\d+)@(\w+)$/.exec(name) ?? []
  const depth = depths.find((one) => one === depthName)
  if (seed === undefined || at === undefined || depth === undefined) return undefined
  return { fault: generatedFault(Number(seed), Number(at)), depth }
}

/** `plain` is the traffic of the server without a fault at the same depth. */
export async function runGenerated(
  name: string,
  { fault, depth }: GeneratedRun,
  plain: Fingerprint,
  engine: Engine,
): Promise<TargetResult> {
  const { traffic: applied, ...verdicts } = await observe(
    {
      kind: 'generated',
      name,
      open: () => startDeviant(fault.patch, targetFixture('reference')),
      selection: { profile: surfaceOf(fault), only: [], skip: [] },
      depth,
    },
    engine,
    (file) => differs(plain, fingerprintOf(file)),
  )
  return { kind: 'generated', name, ...verdicts, applied, reached: fault.reached() }
}

export function surfaceOf({ operation }: GeneratedFault) {
  return operations[operation].surface
}
