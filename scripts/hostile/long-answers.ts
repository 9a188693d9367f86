import type { Patch } from '../../reference-server/index.ts'

/** Answers of so many tokens wherever the request leaves their length and their form open. */
export function longAnswers(tokens: number): Patch {
  const more = Array.from({ length: tokens }, (_, at) => ` word${at % 100}`)
  return (parts) => ({
    ...parts,
    model: (request) => {
      const generation = parts.model(request)
      const { form = 'text' } = request.client ?? {}
      const free = request.maxTokens > 2 * tokens && request.stop.length === 0 && form === 'text'
      if (!free || generation.finish !== 'stop') return generation
      const steps = generation.steps.map((step) =>
        step.type === 'message' ? { ...step, fragments: [...step.fragments, ...more] } : step,
      )
      const { tokens: counted } = generation
      return { ...generation, steps, tokens: { ...counted, output: counted.output + tokens } }
    },
  })
}
