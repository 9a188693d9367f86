/** The forms of a generation in which a clause has to hold: one JSON body, and a stream with reasoning. */
import type { TargetProfile } from '../../harness/conformance/scenario/index.ts'

export interface Form {
  readonly stream: boolean
  readonly think?: true
}

/** Two forms that differ in every dimension, so that what holds in one of them only is seen. */
export function formsOf({ capabilities }: Pick<TargetProfile, 'capabilities'>): readonly Form[] {
  return [{ stream: false }, { stream: true, ...withReasoning({ capabilities }) }]
}

/** `think: true` if the profile says that the target has reasoning. */
export function withReasoning({ capabilities }: Pick<TargetProfile, 'capabilities'>): {
  readonly think?: true
} {
  return capabilities.reasoning === true ? { think: true } : {}
}

/** A form, and the kind of its input. */
export interface FormWithInput extends Form {
  readonly ofItems: boolean
}

/** Words for a sentence: nothing for the plain form. */
export function describeForm({ stream, think }: Form): string {
  const parts = [...(stream ? ['stream'] : []), ...(think ? ['with think'] : [])]
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`
}
