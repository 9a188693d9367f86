import {
  covers,
  describe,
  type Prompts,
  type Session,
  test,
  withinOrdinaryTraffic,
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
    const stream = at % 2 === 0

    test(
      `conversation ${place} on the compatible surface`,
      withinOrdinaryTraffic(
        covers(['OAI-CHAT-01', 'OAI-STREAM-01'], { requests: 4, generations: 3 }),
        { isFirst },
      ),
      async ({ openai, session, prompts }) => {
        if (isFirst) await openai.models()
        const messages = at < 4 ? [] : [inRole('system', prompts.instruction('short'))]
        for (const question of questions(session, prompts, isFirst)) {
          messages.push(inRole('user', question))
          // Only fields that the document lists: a server may refuse others.
          const body = openai.chatBody('', { messages: [...messages], ...(stream && { stream }) })
          const { text } = await openai.chatOk(body)
          messages.push(inRole('assistant', text))
        }
      },
    )

    test(
      `conversation ${place} in a v3 chat`,
      withinOrdinaryTraffic(
        covers(['V3-GEN-01', 'V3-SSE-01'], { requests: 6, generations: 3, chats: 1 }),
        { isFirst },
      ),
      async ({ v3, session, prompts, profile }) => {
        const chat = await v3.createChat()
        const options = { stream, ...(at < 4 ? withReasoning(profile) : {}) }
        for (const question of questions(session, prompts, isFirst)) {
          await v3.generateOk(v3.generateBody(chat, question, options))
        }
        await v3.history(chat)
      },
    )
  }

  for (const [at, place] of places.slice(0, 4).entries()) {
    const isFirst = at < 3

    test(
      `conversation ${place} in a v2 chat`,
      withinOrdinaryTraffic(covers(['V2-GEN-01'], { requests: 7, generations: 3, chats: 1 }), {
        isFirst,
      }),
      async ({ v2, session, prompts }) => {
        const chat = await v2.chat()
        for (const question of questions(session, prompts, isFirst)) {
          await v2.storeAndGenerate(chat, question)
        }
      },
    )
  }
})

/**
 * Up to three messages of a user; at least two in the first conversations, which together are longer than a
 * server needs to recognize a caller.
 */
function questions(session: Session, prompts: Prompts, isFirst: boolean): readonly string[] {
  const number = Number.parseInt(session.uuid().slice(0, 4), 16)
  const all = [prompts.reasoned(), prompts.brief(session.nonce()), prompts.followUp()]
  return all.slice(0, isFirst ? 2 + (number % 2) : 1 + (number % 3))
}

function inRole(role: 'system' | 'user' | 'assistant', content: string) {
  return { role, content }
}
