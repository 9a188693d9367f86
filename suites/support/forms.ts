/** The forms of a generation in which a clause has to hold: one JSON body, and a stream with reasoning. */
import { pairwise, type TargetProfile } from '../../harness/conformance/scenario/index.ts'

export interface Form {
  readonly stream: boolean
  readonly think?: true
}

/** Two forms that differ in every dimension, so that what holds in one of them only is seen. */
export function formsOf({ capabilities }: Pick<TargetProfile, 'capabilities'>): readonly Form[] {
  return [{ stream: false }, { stream: true, ...withReasoning({ capabilities }) }]
}

/** A form, and the kind of its input. */
export interface FormWithInput extends Form {
  readonly ofItems: boolean
}

/**
 * Forms in which each value of form, reasoning and input occurs with each value of the others; those of one
 * JSON body come first, and the plainer one of them before the other.
 */
export function pairedForms(
  { capabilities }: Pick<TargetProfile, 'capabilities'>,
  seed: string,
): readonly FormWithInput[] {
  const { think } = withReasoning({ capabilities })
  const rows = pairwise(
    {
      stream: [false, true],
      thinks: think === true ? [false, true] : [false],
      ofItems: [false, true],
    },
    seed,
  )
  const weight = ({ stream, thinks }: (typeof rows)[number]) => Number(stream) * 2 + Number(thinks)
  return rows
    .toSorted((a, b) => weight(a) - weight(b))
    .map(({ thinks, ...form }) => (thinks ? { ...form, think: true } : form))
}

/** `think: true` where the profile says that the target has reasoning. */
export function withReasoning({ capabilities }: Pick<TargetProfile, 'capabilities'>): {
  readonly think?: true
} {
  return capabilities.reasoning === true ? { think: true } : {}
}

/** Words for a sentence: nothing for the plain form. */
export function describeForm({
  stream,
  think,
  ofItems = false,
}: Form & Partial<FormWithInput>): string {
  const parts = [
    ...(stream ? ['stream'] : []),
    ...(think ? ['with think'] : []),
    ...(ofItems ? ['input of items'] : []),
  ]
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`
}
