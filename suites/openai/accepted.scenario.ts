import {
  covers,
  describe,
  expectAccepted,
  isDeclined,
  type ScenarioContext,
  succeeded,
  test,
} from '../../harness/conformance/scenario/index.ts'

/**
 * Sections 2.1, 4.1 and 8: fields and messages that a service accepts, in both forms. One request has all
 * of them; only if it is refused, each has a request of its own.
 */
describe('compatible surface: accepted requests', () => {
  test(
    'a request takes a system message and top_p',
    covers(['OAI-CHAT-12', 'OAI-TOPP-01'], { requests: 1, generations: 1 }, 3),
    async ({ openai, claim, prompts }) => {
      const plain = openai.chatBody(prompts.brief())
      await expectVariants({ openai, claim }, plain, [systemMessage(prompts, plain), topP])
    },
  )

  test(
    'a stream takes the vision model, a system message, a temperature of 2 and top_p',
    covers(
      ['OAI-MODELS-03', 'OAI-CHAT-12', 'OAI-TEMP-01', 'OAI-TOPP-01'],
      { requests: 1, generations: 1 },
      5,
    ),
    async ({ openai, claim, profile, prompts }) => {
      const { models, capabilities } = profile
      // Room for a short answer; at a temperature of 2, a model may not come to an end by itself.
      const plain = openai.chatBody(prompts.brief(), { stream: true, max_tokens: 64 })
      const vision: Variant = {
        row: 'OAI-MODELS-03',
        what: `the model ${models.vision}`,
        edit: { model: models.vision },
      }
      const hot: Variant = {
        row: 'OAI-TEMP-01',
        what: 'a temperature of 2',
        edit: { temperature: 2 },
      }
      await expectVariants({ openai, claim }, plain, [
        ...(capabilities.images ? [vision] : []),
        systemMessage(prompts, plain),
        hot,
        topP,
      ])
    },
  )
})

type Body = Readonly<Record<string, unknown>>

interface Variant {
  readonly row: 'OAI-MODELS-03' | 'OAI-CHAT-12' | 'OAI-TEMP-01' | 'OAI-TOPP-01'
  readonly what: string
  readonly edit: Body
}

const topP: Variant = { row: 'OAI-TOPP-01', what: 'top_p', edit: { top_p: 0.5 } }

function systemMessage(prompts: ScenarioContext['prompts'], plain: Body): Variant {
  const content = prompts.instruction(prompts.instruction('You are brief.'))
  const question = Array.isArray(plain['messages']) ? plain['messages'] : []
  const messages = [{ role: 'system', content }, ...question]
  return { row: 'OAI-CHAT-12', what: 'a system message', edit: { messages } }
}

async function expectVariants(
  { openai, claim }: Pick<ScenarioContext, 'openai' | 'claim'>,
  plain: Body,
  variants: readonly Variant[],
): Promise<void> {
  const form = plain['stream'] === true ? 'a stream' : 'a request'
  const edits: readonly Body[] = variants.map(({ edit }) => edit)
  const together = await openai.chat(Object.assign({}, plain, ...edits), { role: 'act' })
  if (!isDeclined(together)) {
    for (const { row, what } of variants) {
      claim(row, () => expectAccepted(together, `${form} with ${what}`), together)
    }
    return
  }
  const control = await openai.chat(plain, { role: 'control' })
  if (!succeeded(control)) return
  for (const { row, what, edit } of variants) {
    const alone = await openai.chat({ ...plain, ...edit }, { role: 'act' })
    claim(row, () => expectAccepted(alone, `${form} with ${what}`), alone, control)
  }
}
