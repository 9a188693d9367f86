import {
  assume,
  covers,
  describe,
  expect,
  requirementsOf,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { badCredentials, expectKeyNeeded } from '../support/credentials.ts'
import { arrivalOfText, expectSpread } from '../support/delivery.ts'

/**
 * Section 4.1: the answer in chunks. Its requirements are in contract/catalog/openai/stream.ts; what
 * any stream can show is judged as it passes, in harness/judges/completions.
 */
describe('compatible surface: streaming', () => {
  test(
    'the chunks of a deterministic target MUST add up to its unstreamed answer',
    covers(
      // Delivery in time has a scenario of its own.
      [
        ...requirementsOf('OAI-STREAM', { except: ['OAI-STREAM-11'] }),
        'OAI-AUTH-01',
        'OAI-AUTH-02',
        'OAI-AUTH-03',
        'OAI-AUTH-04',
      ],
      { requests: 15, generations: 3 },
    ),
    async ({ openai, claim, session, keys, prompts }) => {
      const question = prompts.sentences(3, 'bread is made')
      const body = openai.chatBody(question, { stream: true })
      const streamed = await openai.chatOk(body, { role: 'act' })
      claim('OAI-STREAM-04', () => expect(streamed.text, 'the joined deltas').not.toBe(''))

      const withUsage = { stream: true, stream_options: { include_usage: true } }
      await openai.chat(openai.chatBody(question, withUsage))

      const whole = await openai.chatOk(openai.chatBody(question))
      claim(
        'OAI-STREAM-10',
        () => expect(streamed.text, 'the text of a deterministic target').toBe(whole.text),
        streamed.exchange,
        whole.exchange,
      )

      if (keys.openai === undefined) return
      await expectKeyNeeded(
        { claim, session },
        {
          control: streamed.exchange,
          credentials: badCredentials('OAI', keys.openai),
          send: (options) => openai.chat(body, options),
          ping: openai.ping,
          route: 'a stream',
        },
      )
    },
  )

  test(
    'chunks MUST arrive while the answer is generated',
    covers(['OAI-STREAM-11'], { requests: 1, generations: 1 }, 3),
    async ({ openai, claim, prompts }) => {
      const ask = async (text: string, more = {}) => {
        const body = openai.chatBody(text, { stream: true, ...more })
        return (await openai.chatOk(body, { role: 'act' })).exchange
      }
      const { kind, description, replies } = await arrivalOfText(
        prompts,
        (text) => ask(text),
        () => ask(prompts.brief(), { max_tokens: 4 }),
      )
      assume(kind !== 'undecided', description, ...replies)
      claim('OAI-STREAM-11', () => expectSpread(kind, description), ...replies)
    },
  )
})
