import type { Exchange, Surface } from '../../../contract/index.ts'
import { type AnswerKind, classifyAnswer, isPage } from '../preflight/classify-answer.ts'
import { statusText } from '../scenario/read.ts'
import { brief } from './probe.ts'

export interface FoundSurface {
  /** False where asking further makes no sense. */
  readonly usable: boolean
  readonly refusesKey: boolean
  readonly evidence: string
}

export type FoundSurfaces = Readonly<Record<Surface, FoundSurface>>

/**
 * Detects each surface by its first harmless request; `completion` is requested if the list
 * of models does not show the compatible surface, and counts only where a route gave it.
 */
export function findSurfaces(
  answers: ReadonlyMap<Surface, Exchange>,
  completion?: Exchange,
): FoundSurfaces {
  const openai = judged(answers.get('openai'))
  return {
    openai:
      openai.usable || openai.refusesKey || completion === undefined
        ? openai
        : { ...openai, usable: true, evidence: `${openai.evidence}; ${brief(completion)}` },
    v2: judged(answers.get('v2'), 'with an empty body'),
    v3: judged(answers.get('v3')),
  }
}

function judged(answer: Exchange | undefined, more = ''): FoundSurface {
  const status = answer?.response?.status
  if (!answer || status === undefined) {
    return { usable: false, refusesKey: false, evidence: 'no answer' }
  }
  const observation = brief(answer, more)
  const sign = classifyAnswer(answer)
  if (sign === 'service' || isRefusalOfBody(answer, sign)) {
    const sound =
      status < 300 ? '' : `, so ${statusText(answer)} is for the request and not for the key`
    return { usable: true, refusesKey: false, evidence: `${observation}${sound}` }
  }
  const refusesKey = sign === 'refused'
  return { usable: false, refusesKey, evidence: `${observation}, ${meanings[sign]}` }
}

/** A refusal has any media type; that a body lacks something, only a service says. */
function isRefusalOfBody(answer: Exchange, sign: AnswerKind): boolean {
  const { status } = answer.response ?? {}
  const { method } = answer.request
  return (
    sign === 'other' && method === 'POST' && (status === 400 || status === 422) && !isPage(answer)
  )
}

const meanings: Readonly<Record<AnswerKind, string>> = {
  service: 'so it is there',
  refused: 'so the key is refused',
  busy: 'which says nothing for now',
  absent: 'so it is not there',
  failing: 'which says nothing',
  other: 'which is no answer of the service',
  silence: 'so nothing is known',
}
