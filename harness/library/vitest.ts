/** The requirements as tests of the caller's own vitest. */
import { beforeAll, describe, test } from 'vitest'
import { requirements } from '../../contract/index.ts'
import type { ConformanceReport } from '../../contract/report/conformance.ts'
import { selectRequirements } from '../conformance/profile/selection.ts'
import type { Target } from './chatgen-process.ts'
import { type ConformanceOptions, runConformance } from './chatgen-process.ts'
import { conclude } from './conclude.ts'

export interface DescribeOptions extends ConformanceOptions {
  /** Required requirements that are neither passed nor violated. Default `fail`. */
  readonly undecided?: 'fail' | 'skip'
  /** Timeout of the whole check. Default 10 minutes. */
  readonly timeoutMs?: number
}

const tenMinutes = 600_000
/** Time in which a check that is interrupted deletes its chats, milliseconds. */
const endingMs = 30_000

/**
 * Describes one test for each requirement. The check runs once, before the first of them; if the tests start
 * the target, pass a function that returns it.
 * @throws ConfigurationError if a glob of the options matches nothing
 */
export function describeConformance(
  target: string | Target | (() => string | Target | Promise<string | Target>),
  options: DescribeOptions = {},
): void {
  const { undecided = 'fail', timeoutMs = tenMinutes, ...check } = options
  const { profile = 'full', only = [], skip = [], strict = false } = check
  describe('conformance', () => {
    let report: ConformanceReport | undefined
    beforeAll(async () => {
      const limit = new AbortController()
      const end = () => limit.abort(new Error(`the check took longer than ${timeoutMs} ms`))
      const timer = setTimeout(end, timeoutMs)
      const signals = [limit.signal, check.signal].filter((one) => one !== undefined)
      const options = { ...check, signal: AbortSignal.any(signals) }
      const checked = typeof target === 'function' ? await target() : target
      report = await runConformance(checked, options).finally(() => clearTimeout(timer))
    }, timeoutMs + endingMs)
    for (const id of selectRequirements({ profile, only, skip })) {
      test(`${id} ${requirements[id].title}`, (context) => {
        const requirement = report?.requirements.find((one) => one.id === id)
        if (requirement === undefined) throw new Error(`${id} is not in the report`)
        conclude(requirement, context, { undecided, strict })
      })
    }
  })
}
