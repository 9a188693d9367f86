import type { Exchange, Surface } from '../../contract/index.ts'
import { statusOf } from '../scenario/read.ts'
import { brief } from './probe.ts'

export interface FoundSurface {
  /** False where asking further makes no sense. */
  readonly usable: boolean
  readonly refusesKey: boolean
  readonly evidence: string
}

export type FoundSurfaces = Readonly<Record<Surface, FoundSurface>>

/** What the first harmless request to each surface says of it. */
export function findSurfaces(answers: ReadonlyMap<Surface, Exchange>): FoundSurfaces {
  return {
    openai: judged(answers.get('openai')),
    v2: judged(answers.get('v2'), 'with an empty body'),
    v3: judged(answers.get('v3')),
  }
}

function judged(answer: Exchange | undefined, more = ''): FoundSurface {
  const status = answer?.response?.status
  if (!answer || status === undefined) {
    return { usable: false, refusesKey: false, evidence: 'no answer' }
  }
  const told = brief(answer, more)
  if (status === 401 || status === 403) {
    return { usable: false, refusesKey: true, evidence: `${told}, so the key is refused` }
  }
  if (status === 404 || status === 405) {
    return { usable: false, refusesKey: false, evidence: `${told}, so it is not there` }
  }
  if (status >= 500) {
    return { usable: false, refusesKey: false, evidence: `${told}, which says nothing` }
  }
  const sound =
    status < 300 ? '' : `, so ${statusOf(answer)} is for the request and not for the key`
  return { usable: true, refusesKey: false, evidence: `${told}${sound}` }
}
