import {
  covers,
  describe,
  expectAccepted,
  isDeclined,
  type Session,
  succeeded,
  test,
} from '../../harness/conformance/scenario/index.ts'

/**
 * Sections 2.1, 4.1 and 8: what is accepted in one piece is accepted in a stream. One request has all of
 * it; only if that is refused, each has a request of its own.
 */
describe('compatible surface: streams with parameters', () => {
  test(
    'a stream takes the vision model, a system message, a temperature of 2 and top_p',
    covers(
      ['OAI-MODELS-03', 'OAI-CHAT-12', 'OAI-TEMP-01', 'OAI-TOPP-01'],
      { requests: 1, generations: 1 },
      5,
    ),
    async ({ openai, claim, profile, prompts }) => {
      // Room for a short answer; at a temperature of 2, a model may not come to an end by itself.
      const plain = openai.chatBody(prompts.brief(), { stream: true, max_tokens: 64 })
      const variants = variantsOf(plain, profile, prompts)
      const whole = Object.assign({}, plain, ...variants.map(({ edit }) => edit))
      const together = await openai.chat(whole, { role: 'act' })
      if (!isDeclined(together)) {
        for (const { row, what } of variants) {
          claim(row, () => expectAccepted(together, `a stream with ${what}`), together)
        }
        return
      }
      const control = await openai.chat(plain, { role: 'control' })
      if (!succeeded(control)) return
      for (const { row, what, edit } of variants) {
        const alone = await openai.chat({ ...plain, ...edit }, { role: 'act' })
        claim(row, () => expectAccepted(alone, `a stream with ${what}`), alone, control)
      }
    },
  )
})

type Row = 'OAI-MODELS-03' | 'OAI-CHAT-12' | 'OAI-TEMP-01' | 'OAI-TOPP-01'

interface Variant {
  readonly row: Row
  readonly what: string
  readonly edit: Readonly<Record<string, unknown>>
}

function variantsOf(
  plain: Readonly<Record<string, unknown>>,
  { models, capabilities }: Session['context']['setup']['profile'],
  prompts: Session['prompts'],
): readonly Variant[] {
  const instruction = prompts.instruction('You are brief.')
  const question = Array.isArray(plain['messages']) ? plain['messages'] : []
  const messages = [{ role: 'system', content: instruction }, ...question]
  const vision: Variant = {
    row: 'OAI-MODELS-03',
    what: `the model ${models.vision}`,
    edit: { model: models.vision },
  }
  return [
    ...(capabilities.images ? [vision] : []),
    { row: 'OAI-CHAT-12', what: 'a system message', edit: { messages } },
    { row: 'OAI-TEMP-01', what: 'a temperature of 2', edit: { temperature: 2 } },
    { row: 'OAI-TOPP-01', what: 'top_p', edit: { top_p: 0.5 } },
  ]
}
