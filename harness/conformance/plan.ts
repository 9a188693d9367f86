import type { RequirementId } from '../../contract/index.ts'
import type { TargetProfile } from './profile/index.ts'
import { isPlanned, type Selection, selectRequirements, skipReason } from './profile/selection.ts'
import type { Depth } from './run-setup.ts'
import { Collector, type Scenario } from './vitest/collector.ts'
import { openSuites } from './vitest/suites.ts'

/** The requirements that a run judges: selected, applicable, and with all needed capabilities declared. */
export function judgedRequirements(
  selection: Selection,
  profile: TargetProfile,
): readonly RequirementId[] {
  return selectRequirements(selection).filter((id) => !skipReason(id, profile))
}

/** The scenarios that a selection would run at a depth, with their cost there; sends no request. */
export async function planConformance(
  profile: TargetProfile,
  selection: Selection,
  depth: Depth = 'normal',
): Promise<readonly Scenario[]> {
  const requirements = judgedRequirements(selection, profile)
  const scenarios = await listScenarios()
  return scenarios
    .filter((scenario) => isPlanned(scenario, requirements, profile))
    .map((scenario) => ({ ...scenario, cost: scenario.lawCosts?.[depth] ?? scenario.cost }))
}

/** Every scenario of the suites, with the requirements that it can decide. */
export async function listScenarios(): Promise<readonly Scenario[]> {
  const collector = new Collector(() => {}, String)
  const suites = await openSuites(collector)
  try {
    const { testModules } = await suites.vitest.collect([], { staticParse: false })
    for (const module of testModules) collector.onTestModuleCollected(module)
    const [fault] = testModules.flatMap((module) => module.errors())
    if (fault) throw new Error(fault.message)
    return collector.scenarios
  } finally {
    await suites.close()
  }
}
