import {
  covers,
  createRandomPicker,
  describe,
  type Scenario,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { withReasoning } from '../support/test-data.ts'

/**
 * Conversations of users, without requests that should be refused. Incognito runs begin with some of them and
 * send the others in between. The judges check every answer, so they catch a target that complies only with
 * callers that it recognizes as tests.
 */
describe('ordinary traffic', () => {
  const places = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'] as const

  for (const [at, place] of places.entries()) {
    const isFirst = at % 3 !== 2
    /** One form in most of the first conversations, as programs of a customer have one. */
    const streams = (habit: Scenario['habit']) =>
      isFirst ? (habit('stream', 2) === 0) !== (at === 4) : at % 2 === 0

    test(
      `conversation ${place} on the compatible surface`,
      covers(['OAI-CHAT-01', 'OAI-STREAM-01'], {
        requests: 3,
        generations: 3,
        isOrdinary: true,
        isFirst,
      }),
      async ({ openai, prompts, habit, scenario }) => {
        const user = userOf(scenario)
        const messages =
          habit('instructions', 2) === 0 ? [inRole('system', prompts.instruction('short'))] : []
        for await (const question of user.messages()) {
          messages.push(inRole('user', question))
          // Only fields that the document lists: a server may refuse others.
          const options = { ...user.options, ...(streams(habit) && { stream: true }) }
          const body = openai.chatBody('', { messages: [...messages], ...options })
          const { text } = await openai.chatOk(body)
          messages.push(inRole('assistant', text))
        }
      },
    )

    test(
      `conversation ${place} in a v3 chat`,
      covers(['V3-GEN-01', 'V3-SSE-01'], {
        requests: 6,
        generations: 3,
        chats: 1,
        isOrdinary: true,
        isFirst,
      }),
      async ({ v3, prompts, habit, profile, scenario }) => {
        const user = userOf(scenario)
        await user.pause()
        const chat = await v3.createChat({}, prompts.message(0))
        const thinks = isFirst ? habit('think', 4) === 0 : at < 6
        const options = {
          ...user.options,
          stream: streams(habit),
          ...(thinks ? withReasoning(profile) : {}),
        }
        for await (const question of user.messages()) {
          await v3.generateOk(v3.generateBody(chat, question, options))
        }
        if (!isFirst || habit('history', 2) === 0) {
          await user.pause()
          await v3.history(chat)
        }
      },
    )
  }

  for (const [at, place] of places.slice(0, 4).entries()) {
    const isFirst = at < 3

    test(
      `conversation ${place} in a v2 chat`,
      covers(['V2-GEN-01'], { requests: 7, generations: 3, chats: 1, isOrdinary: true, isFirst }),
      async ({ v2, scenario }) => {
        const user = userOf(scenario)
        await user.pause()
        const chat = await v2.chat(scenario.prompts.message(0))
        for await (const question of user.messages()) {
          const { id } = await v2.storeOk(chat, question)
          await user.pause()
          await v2.generate(v2.generateBody(chat, id), { role: 'arrange' })
        }
      },
    )
  }
})

/** Mean pauses before a request, in milliseconds; a customer has one of them. */
const pausesMs = [0, 10, 50, 200]

/** A user with the habits of the run, and up to three messages. */
function userOf({ session, prompts, habit }: Scenario) {
  const number = createRandomPicker(session.contentSeed)
  const count = 1 + number(3)
  const pauseMs = pausesMs[habit('pause', pausesMs.length)] ?? 0
  const limits = [256, 500, 1_000, 2_048]
  const pause = () => session.sleep(-Math.log(1 - number(1_000) / 1_000) * pauseMs)
  return {
    pause,
    async *messages() {
      for (let turn = 0; turn < count; turn += 1) {
        await pause()
        yield prompts.message(turn)
      }
    },
    options: {
      ...(habit('temperature', 2) === 0 && {
        temperature: habit('degrees', 11) / 10,
      }),
      ...(habit('limit', 2) === 0 && {
        max_tokens: limits[habit('tokens', limits.length)],
      }),
    },
  }
}

function inRole(role: 'system' | 'user' | 'assistant', content: string) {
  return { role, content }
}
