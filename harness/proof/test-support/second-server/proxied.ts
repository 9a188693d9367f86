import type { Fault } from '../../../../reference-server/deviations/index.ts'
import type { Engine } from '../../../conformance/vitest/engine.ts'
import {
  contentDiffers,
  type Fingerprint,
  fingerprintOf,
  stablePart,
} from '../../runs/fingerprint.ts'
import { type RowResult, redRows, verdictsOf } from '../../verdicts.ts'
import { judgeSecondServer } from './judged.ts'

export interface Proxied {
  /** `without effect`: the second server answers in a way that the fault does not change. */
  readonly state: 'killed' | 'undecided' | 'without effect' | 'unseen'
  /** Verdicts of the rows of the fault that are neither passed nor violated. */
  readonly open: readonly string[]
  /** Rows that turned red though neither the fault nor the server alone does it. */
  readonly undeclared: readonly string[]
}

/** Judges faults of the wire in front of the second server, one after the other. */
export function proxiedJudge(engine: Engine): (fault: Fault, whole: boolean) => Promise<Proxied> {
  const plain = new Map<string, { rows: readonly RowResult[]; traffic: Fingerprint }>()

  async function run(only: readonly string[], front: Fault['patch']) {
    const traffic: Fingerprint[] = []
    const read = (file: string) => void traffic.push(fingerprintOf(file))
    const rows = verdictsOf(await judgeSecondServer({}, { engine, only, front, read }))
    const [seen] = traffic
    if (seen === undefined) throw new Error('a run without exchanges')
    return { rows, traffic: seen }
  }

  async function plainRun(only: readonly string[]) {
    const key = only.join()
    const known = plain.get(key)
    if (known !== undefined) return known
    const [first, second] = [await run(only, unchanged), await run(only, unchanged)]
    const made = { rows: first.rows, traffic: stablePart(first.traffic, second.traffic) }
    plain.set(key, made)
    return made
  }

  return async ({ patch, breaks }, whole) => {
    const only = whole ? [] : breaks
    const alone = await plainRun(only)
    const { rows, traffic } = await run(only, patch)
    const declared: readonly string[] = breaks
    const redAlone = redRows(alone)
    const red = redRows({ rows }).filter((id) => !redAlone.includes(id))
    const undeclared = red.filter((id) => !declared.includes(id))
    if (red.some((id) => declared.includes(id))) return { state: 'killed', open: [], undeclared }
    if (!contentDiffers(alone.traffic, traffic)) {
      return { state: 'without effect', open: [], undeclared }
    }
    const open = rows
      .filter(({ id, verdict }) => declared.includes(id) && verdict !== 'pass')
      .map(({ id, verdict, message }) => `${id} ${verdict}: ${message}`)
    return { state: open.length > 0 ? 'undecided' : 'unseen', open, undeclared }
  }
}

const unchanged: Fault['patch'] = (services) => services
