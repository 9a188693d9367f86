import { asArray, asObject } from '../../contract/index.ts'
import {
  answerText,
  assume,
  covers,
  describe,
  type Exchange,
  expect,
  expectAccepted,
  finalResponse,
  isDeclined,
  requirementsOf,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { claimArrival } from '../support/delivery.ts'
import { claimOutputKept } from '../support/history.ts'
import { askUntil } from '../support/recall.ts'

/**
 * Section 6: the stream of events. Its requirements are in contract/catalog/v3/stream.ts. Those that
 * any stream can show are judged in passing, in harness/judges/v3-stream; these scenarios create streams that
 * show all of them, and claim requirements that need more than one answer.
 */
describe('v3: stream', () => {
  /** Judged in every stream of any scenario; harness/judges/v3-stream has a file for each concern. */
  const everyStream = requirementsOf('V3-SSE', {
    // A tool call, a search before the answer and timely delivery have their own scenarios.
    except: ['V3-SSE-23', 'V3-SSE-28', 'V3-SSE-30'],
  })

  test(
    'an answer MUST be streamed as events',
    covers(everyStream, { requests: 3, generations: 1, chats: 1, again: 3 }),
    async ({ v3, claim, prompts }) => {
      const chat = await v3.createChat()
      const question = prompts.sentences(3, 'bread is made')
      const ask = (stream: boolean) =>
        v3.generateOk(v3.generateBody(chat, question, { stream }), { role: 'act' })
      const replies = [await ask(true)]
      while (replies.length < 3 && replies.every(isCutOff)) replies.push(await ask(true))
      if (!replies.every(isCutOff)) return
      // An answer may be cut or fail by chance; the unstreamed control shows if it always does.
      const whole = await ask(false)
      assume(finalResponse(whole)?.['status'] === 'completed', 'no answer is completed', whole)
      const completed = expect(0, `streams of ${replies.length} that end with response.completed`)
      claim('V3-SSE-09', () => completed.toBeGreaterThan(0), ...replies, whole)
    },
  )

  test(
    'text beyond ASCII MUST be streamed intact',
    covers(['V3-SSE-17', 'V3-SSE-25', 'V3-SSE-26', 'V3-SSE-27', 'V3-HIST-06'], {
      requests: 5,
      generations: 1,
      chats: 1,
    }),
    async ({ v3, prompts, scenario }) => {
      const chat = await v3.createChat()
      const body = v3.generateBody(chat, prompts.repeat(), { stream: true })
      await claimOutputKept(scenario, chat, await v3.generateOk(body, { role: 'act' }))
    },
  )

  test(
    'a tool call SHOULD be streamed',
    covers(['V3-SSE-13', 'V3-SSE-18', 'V3-SSE-19', 'V3-SSE-23', 'V3-HIST-06'], {
      requests: 5,
      generations: 1,
      chats: 1,
    }),
    async ({ v3, profile, session, scenario }) => {
      const ask = profile.tools?.ask
      if (ask === undefined) {
        // Other streams show the other requirements.
        const reason = 'set tools.ask in the target profile to test this'
        return session.markUndecided('unproven', ['V3-SSE-23'], reason)
      }
      const chat = await v3.createChat()
      const body = v3.generateBody(chat, ask, { stream: true })
      await claimOutputKept(scenario, chat, await v3.generateOk(body, { role: 'act' }))
    },
  )

  test(
    'reasoning MUST be streamed separately from the answer',
    covers(
      [
        ...(['V3-THINK-01', 'V3-THINK-02', 'V3-SSE-13', 'V3-SSE-18'] as const),
        ...(['V3-HIST-03', 'V3-HIST-04', 'V3-HIST-06'] as const),
      ],
      { requests: 7, generations: 2, chats: 2, again: 2 },
    ),
    async ({ v3, claim, prompts, scenario }) => {
      const chat = await v3.createChat()
      const question = prompts.calculation()
      const ask = () => v3.generate(v3.generateBody(chat, question, { stream: true, think: true }))
      const thinks = ({ events }: Exchange) =>
        events.some(({ name }) => name === 'response.reasoning_text.delta')
      // A model need not reason about each question.
      const reply = await askUntil((one) => isDeclined(one) || thinks(one), ask)
      if (isDeclined(reply)) {
        await v3.generateOk(v3.generateBody(chat, question, { stream: true }), { role: 'control' })
        claim('V3-THINK-01', () => expectAccepted(reply, 'a stream with think'), reply)
        return
      }
      const names = reply.events.map((event) => event.name)
      const isRepeat = 'the reply is a repeat after a failure, and may be shorter'
      assume(reply.labels.repeatOf === undefined, isRepeat, reply)
      const reasons = () =>
        expect(names, 'events of the stream').toContain('response.reasoning_text.delta')
      claim('V3-THINK-01', reasons, reply)
      await claimOutputKept(scenario, chat, reply)

      const unstreamed = v3.generateBody(await v3.createChat(), question, { think: true })
      const whole = await v3.generateOk(unstreamed, { role: 'act' })
      const thoughts = reasoningTexts(whole).filter((text) => text.length >= tellingLength)
      const answer = answerText(whole)
      // Reasoning may be a draft of the answer.
      const repeated = thoughts.filter((text) => answer !== text && answer?.includes(text))
      if (thoughts.length === 0 || answer === undefined) return
      const isApart = () =>
        expect(repeated, 'reasoning that the unstreamed answer repeats').toEqual([])
      claim('V3-THINK-02', isApart, whole)
    },
  )

  test(
    'events SHOULD arrive while the answer is generated',
    covers(['V3-SSE-30'], { requests: 3, generations: 1, chats: 1, again: 4 }),
    async ({ v3, scenario }) => {
      const chat = await v3.createChat()
      await claimArrival(scenario, 'V3-SSE-30', (text, more) =>
        v3.generateOk(v3.generateBody(chat, text, { stream: true, ...more }), { role: 'act' }),
      )
    },
  )
})

/** Shorter reasoning may be repeated by chance. */
const tellingLength = 24

function reasoningTexts(reply: Exchange): string[] {
  return asArray(finalResponse(reply)?.['output'])
    .filter((item) => asObject(item)?.['type'] === 'reasoning')
    .flatMap((item) => asArray(asObject(item)?.['content']))
    .map((part) => asObject(part)?.['text'])
    .filter((text) => typeof text === 'string')
}

/** Ended by the target itself, and not with response.completed. */
function isCutOff({ events }: Exchange): boolean {
  const names = events.map((event) => event.name)
  return (
    !names.includes('response.completed') &&
    ['response.incomplete', 'response.failed', 'error'].some((name) => names.includes(name))
  )
}
