import type { RequirementId } from '../../../../contract/index.ts'
import type { Fault } from '../../../../reference-server/deviations/index.ts'
import type { Engine } from '../../../conformance/vitest/engine.ts'
import {
  differingPlaces,
  type Fingerprint,
  fingerprintOf,
  stablePart,
} from '../../runs/fingerprint.ts'
import { failedIds, type RequirementVerdict, verdictsOf } from '../../verdicts.ts'
import { judgeSecondServer } from './judged.ts'

export interface Proxied {
  /** `without effect`: the fault does not change the answers of the second server. */
  readonly state: 'killed' | 'undecided' | 'without effect' | 'unseen'
  /** Verdicts of the requirements of the fault that are neither passed nor violated. */
  readonly open: readonly string[]
  /** Requirements that turned red although neither the fault nor the server alone causes it. */
  readonly undeclared: readonly string[]
}

/** Judges wire faults in front of the second server, one after the other. */
export function proxiedJudge(engine: Engine): (fault: Fault, whole: boolean) => Promise<Proxied> {
  const plain = new Map<
    string,
    { requirements: readonly RequirementVerdict[]; traffic: Fingerprint }
  >()

  async function run(only: readonly string[], front: Fault['patch']) {
    const traffic: Fingerprint[] = []
    const read = (file: string) => void traffic.push(fingerprintOf(file))
    const requirements = verdictsOf(await judgeSecondServer({}, { engine, only, front, read }))
    const [exchange] = traffic
    if (exchange === undefined) throw new Error('a run without exchanges')
    return { requirements, traffic: exchange }
  }

  async function plainRun(only: readonly string[]) {
    const key = only.join()
    const cached = plain.get(key)
    if (cached !== undefined) return cached
    const [first, second] = [await run(only, unchanged), await run(only, unchanged)]
    const made = {
      requirements: first.requirements,
      traffic: stablePart(first.traffic, second.traffic),
    }
    plain.set(key, made)
    return made
  }

  return async function judge(fault: Fault, whole: boolean): Promise<Proxied> {
    const { patch, breaks } = fault
    const only = whole ? [] : breaks
    const alone = await plainRun(only)
    const { requirements, traffic } = await run(only, patch)
    const declared: readonly string[] = breaks
    const redAlone = failedIds(alone)
    const red = failedIds({
      requirements: requirements.filter((requirement) => !isOfTheEcho(requirement)),
    }).filter((id) => !redAlone.includes(id))
    const broken = brokenInFront(fault)
    const undeclared = red.filter((id) => !broken.includes(id))
    if (red.some((id) => declared.includes(id))) return { state: 'killed', open: [], undeclared }
    const differing = differingPlaces(alone.traffic, traffic)
    if (differing.length === 0) return { state: 'without effect', open: [], undeclared }
    const open = requirements
      .filter(({ id, verdict }) => declared.includes(id) && verdict !== 'pass')
      .map(({ id, verdict, message }) => `${id} ${verdict}: ${message}`)
    if (open.length > 0) return { state: 'undecided', open, undeclared }
    // Other requests of a whole run differ more often by chance.
    if (whole) return { ...(await judge(fault, false)), undeclared }
    // An answer may differ by chance, but hardly the same one twice.
    const again = differingPlaces(alone.traffic, (await run(only, patch)).traffic)
    const hasEffect = again.some((place) => differing.includes(place))
    return { state: hasEffect ? 'unseen' : 'without effect', open, undeclared }
  }
}

/** The server echoes the request with the changes of the proxy, in `x_request`. */
function isOfTheEcho({ message }: RequirementVerdict): boolean {
  const members = message?.match(/"[^"]+ is only in the [^"]+ form"/g) ?? []
  return members.length > 0 && members.every((member) => member.startsWith('"x_request.'))
}

const unchanged: Fault['patch'] = (services) => services

interface Consequence {
  readonly faults: readonly string[]
  readonly breaks: readonly RequirementId[]
}

const consequences: readonly Consequence[] = [
  // The server shows no temperature: the fault adds one to the JSON form alone.
  {
    faults: ['v3-response-numbers-as-text'],
    breaks: ['V3-GEN-04'],
  },
  // A parent is named by the id of its response.
  {
    faults: ['v3-response-id-fixed'],
    breaks: ['V3-CTX-01'],
  },
  // Its search is a tool, which exclude_tools names.
  {
    faults: [
      'v3-exclude-tools-ignored',
      'v3-exclude-tools-ignored-in-json',
      'v3-exclude-tools-ignored-in-streams',
    ],
    breaks: ['RAG-03'],
  },
  // Its search is a tool, which exclude_tools names.
  {
    faults: ['v2-reply-exclude-ignored'],
    breaks: ['V2-RAG-03'],
  },
  // Its messages have two parts, which then share one index.
  {
    faults: ['stream-parts-from-one', 'stream-parts-counted-on'],
    breaks: ['V3-SSE-13', 'V3-SSE-18'],
  },
  // Its messages have two parts, and a delta then comes after the end of its part.
  {
    faults: ['stream-deltas-swapped'],
    breaks: ['V3-SSE-13', 'V3-SSE-16'],
  },
  // Its profile asks with sparse, so that hybrid is another type of search.
  {
    faults: ['rag-hybrid-refused'],
    breaks: ['RAG-08'],
  },
  // Its profile asks with sparse.
  {
    faults: ['rag-sparse-refused'],
    breaks: ['RAG-04'],
  },
  // Its profile sends assistant_id: null.
  {
    faults: ['one-shot-null-refused'],
    breaks: ['V3-ONE-01'],
  },
]

/** Requirements that the fault breaks in front of the second server. */
export function brokenInFront({ name, breaks }: Fault): readonly string[] {
  const more = consequences.filter(({ faults }) => faults.includes(name))
  return [...breaks, ...more.flatMap((consequence) => consequence.breaks)]
}
