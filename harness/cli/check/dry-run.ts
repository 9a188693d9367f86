import type { Command } from 'commander'
import { wrap } from '../../../reports/text/escape.ts'
import { count } from '../../../reports/text/format.ts'
import type { TargetProfile } from '../../conformance/profile/index.ts'
import type { Selection } from '../../conformance/profile/selection.ts'
import { addCosts, type Cost, costOfExploring, totalCost } from '../../conformance/usage.ts'
import type { Scenario } from '../../conformance/vitest/collector.ts'
import { type ExitCode, exitCode } from '../exit-codes.ts'
import { containerOf, withoutContainer } from '../target/container-flags.ts'
import { withTarget } from '../target/target.ts'
import type { TargetFlags } from '../target/target-flags.ts'
import type { Io } from '../terminal/io.ts'
import type { CheckFlags } from './flags.ts'

interface PlannedRun {
  readonly selection: Selection
  readonly explore?: number
  /** Throws if the run refuses the profile. */
  readonly assert?: (profile: TargetProfile) => void
}

/** The cost of a run, as text or JSON. Nothing is sent, and no container is started. */
export async function planFor(
  url: string | undefined,
  flags: TargetFlags & Pick<CheckFlags, 'depth' | 'maxGenerations' | 'json'>,
  { selection, explore = 0, assert }: PlannedRun,
  io: Io,
): Promise<string> {
  const { judgedRequirements, planConformance } = await import('../../conformance/vitest/suites.ts')
  const { exploredRequirements } = await import('../../explore/explore.ts')
  const container = containerOf(flags, io.env)
  const planned = container === undefined ? flags : withoutContainer(flags)
  const address = container === undefined ? url : `http://127.0.0.1:${container.port}`
  return withTarget(address, planned, io, async (profile) => {
    assert?.(profile)
    const scenarios = await planConformance(profile, selection, flags.depth)
    const { depth, maxGenerations } = flags
    const judged = judgedRequirements(selection, profile)
    const operations = exploredRequirements.some((id) => judged.includes(id)) ? explore : 0
    const options = { selection, depth, maxGenerations, explore: operations, width: io.width }
    return (flags.json ? planJson : planText)(scenarios, options)
  })
}

/**
 * Reports that a dry run tested nothing. If an environment variable of a CI job requested it, that is not
 * visible on the command line: the exit code is then that of a run without a verdict, so the gate stays red.
 */
export function endDryRun(command: Command, io: Io): ExitCode {
  const fromEnvironment = command.getOptionValueSource('dryRun') === 'env'
  const isCi = !['', '0', 'false', undefined].includes(io.env['CI']?.toLowerCase())
  if (!fromEnvironment || !isCi) {
    const source = fromEnvironment ? 'CHATGEN_DRY_RUN' : '--dry-run'
    io.err(`chatgen: dry run (${source}): nothing was sent, nothing was tested`)
    return exitCode.done
  }
  io.err(
    [
      'chatgen: DRY RUN: CHATGEN_DRY_RUN is set in the environment of this CI job: nothing was sent, nothing',
      'chatgen: was tested. Exit code 5 (no verdict); pass --dry-run to print the plan and exit with 0.',
    ].join('\n'),
  )
  return exitCode.incomplete
}

export interface PlanOptions
  extends Pick<CheckFlags, 'depth' | 'maxGenerations'>,
    Pick<PlannedRun, 'selection' | 'explore'> {
  readonly width: number
}

/** `--dry-run --json`: the requests, generations, chats and uploads of each scenario, of exploring and in all. */
export function planJson(
  scenarios: readonly Scenario[],
  { selection, depth, maxGenerations, explore = 0 }: PlanOptions,
): string {
  const exploring = costOfExploring(explore)
  const counts = (cost: Cost) => Object.fromEntries(columns.map((name) => [name, cost[name]]))
  const plan = {
    ...{ profile: selection.profile, depth, maxGenerations },
    scenarios: scenarios.map(({ title, cost }) => ({ title, ...counts(cost) })),
    exploring: { operations: explore, ...counts(exploring) },
    total: counts(addCosts(totalCost(scenarios), exploring)),
  }
  return JSON.stringify(plan, null, 2)
}

/** Text of `--dry-run`: the cost of a run for its target. */
export function planText(scenarios: readonly Scenario[], options: PlanOptions): string {
  const { selection, width, explore = 0 } = options
  const ofExploring = costOfExploring(explore)
  const cost = totalCost(scenarios)
  const extra = scenarios.reduce((sum, scenario) => sum + scenario.again, 0)
  const totals = [
    { title: 'total', cost },
    ...(explore === 0
      ? []
      : [
          { title: `exploring, ${explore} operations`, cost: ofExploring },
          { title: 'total with exploring', cost: addCosts(cost, ofExploring) },
        ]),
  ]
  const lead = `Profile ${selection.profile}, depth ${options.depth}: ${count(scenarios.length, 'scenario')}. Nothing was sent. A run costs:`
  return [
    ...wrap(lead, width),
    '',
    ...table([...scenarios, null, ...totals], width),
    '',
    ...[
      cost.generations > options.maxGenerations &&
        `At most ${count(options.maxGenerations, 'generation')} (--max-generations): fewer conditions are tried.`,
      extra > 0 &&
        `Up to ${extra} extra generations if the model fails to recall a planted fact or requests do not overlap.`,
      explore > 0 &&
        'A violation that exploring finds is repeated and shrunk, which adds requests and generations: docs/trust.md.',
      'Retries after 429 or 503 and polling for changes add requests.',
    ].flatMap((text) => (text === false ? [] : wrap(text, width))),
  ].join('\n')
}

const columns = ['requests', 'generations', 'chats', 'uploads'] as const
const heading = columns.map((column) => `  ${column}`).join('')

/** Renders the table; a title that is too long for its column continues on the next line. */
function table(
  rows: readonly (Pick<Scenario, 'title' | 'cost'> | null)[],
  width: number,
): readonly string[] {
  const maxLength = Math.max(...rows.map((row) => row?.title.length ?? 0))
  const titles = Math.min(maxLength, Math.max(20, width - heading.length))
  const lines = rows.flatMap((row) => {
    if (row === null) return ['']
    const [first = '', ...rest] = wrap(row.title, titles)
    const numbers = columns.map((column) => `  ${String(row.cost[column]).padStart(column.length)}`)
    return [first.padEnd(titles) + numbers.join(''), ...rest]
  })
  return [''.padEnd(titles) + heading, ...lines]
}
