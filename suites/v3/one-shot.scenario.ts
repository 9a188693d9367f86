import {
  answerText,
  bodyJson,
  contains,
  covers,
  declared,
  declined,
  describe,
  type Exchange,
  expect,
  expectAccepted,
  expectResponse,
  fill,
  given,
  inputText,
  isUuid,
  leavesOf,
  succeeded,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { recallOf } from '../recall.ts'

/** Section 4.3: POST /message/one-shot, an answer without a stored chat. */
describe('v3: one-shot', () => {
  test(
    'a one-shot answers in one piece, without an Idempotency-Key',
    covers(['V3-ONE-01', 'V3-ONE-03'], { requests: 2, generations: 1 }, 1),
    async ({ oneShot, claim, session }) => {
      const body = oneShot.body('Name a colour and say why you like it.')
      const reply = await oneShot.send(body)
      // Where a key is wanted all the same, that is one breach, and the form of the answer another.
      const headers = { 'idempotency-key': session.uuid() }
      const keyed = succeeded(reply) ? reply : await oneShot.send(body, { headers })
      claim('V3-ONE-01', () => expectResponse(keyed, 'a one-shot'), keyed)
      claim('V3-ONE-03', () => expectResponse(reply, 'a one-shot without Idempotency-Key'), reply)
    },
  )

  test(
    'a one-shot is streamed as events',
    covers(['V3-ONE-02', 'V3-SSE-01', 'V3-SSE-08', 'V3-SSE-17'], { requests: 1, generations: 1 }),
    async ({ oneShot, claim }) => {
      const reply = await oneShot.send(
        oneShot.body('Tell me in two sentences how bread is made.', { stream: true }),
      )
      claim('V3-ONE-02', () => {
        expectAccepted(reply, 'a one-shot with stream: true')
        const names = reply.events.map((event) => event.name)
        expect(names, 'events').toContain('response.created')
        expect(names, 'events').toContain('response.completed')
      })
    },
  )

  test(
    'the deprecated content may carry the text',
    covers(['V3-ONE-04'], { requests: 1, generations: 1 }, 3),
    async ({ oneShot, claim, profile, session }) => {
      const nonce = session.nonce()
      const { tell, ask } = recallOf(profile, nonce)
      const content = `${tell} ${ask}`
      const knows = (reply: Exchange) => answerText(reply)?.includes(nonce) ?? false
      let reply = await oneShot.send(oneShot.body(undefined, { content }))
      const answered = claim('V3-ONE-04', () => {
        expectResponse(reply, 'a one-shot with content in place of input')
        expect(answerText(reply), 'the text of the answer').toBeTypeOf('string')
      })
      if (!answered || knows(reply)) return

      // The text may have been ignored: it was, if the model makes something of it as input.
      const able = await oneShot.ask(oneShot.body(content))
      given(knows(able), 'the model does not give back a fact from the same message', able)
      for (let tries = 1; tries < 3 && !knows(reply); tries += 1) {
        reply = await oneShot.ask(oneShot.body(undefined, { content }), { role: 'act' })
      }
      claim('V3-ONE-04', () => expect(knows(reply), 'the text is answered').toBe(true), able, reply)
    },
  )

  test(
    'input may be an array of items',
    covers(['V3-ONE-10'], { requests: 1, generations: 1 }),
    async ({ oneShot, claim }) => {
      const reply = await oneShot.send(
        oneShot.body([inputText('Be brief.', 'system'), inputText('Name a colour.')]),
      )
      claim('V3-ONE-10', () => expectResponse(reply, 'a one-shot with an array of items'))
    },
  )

  test(
    'runs carries a history, and nothing else is known',
    covers(['V3-ONE-05', 'V3-ONE-11'], { requests: 6, generations: 3 }, 2),
    async ({ oneShot, claim, profile, session }) => {
      const nonce = session.nonce()
      const { tell, ask } = recallOf(profile, nonce)
      const able = await oneShot.ask(oneShot.body(`${tell} ${ask}`))
      given(
        answerText(able)?.includes(nonce),
        'the model does not give back a fact from the same message',
        able,
      )

      const fresh = await oneShot.ask(oneShot.body(ask))
      claim(
        'V3-ONE-11',
        () => expect(answerText(fresh), 'the answer to another request').not.toContain(nonce),
        able,
        fresh,
      )

      const runs = fill(profile.requests.runs, { nonce }) ?? [guessedRun(session.uuid(), tell)]
      let reply = await oneShot.send(oneShot.body(ask, { runs }))
      if (!succeeded(reply) && profile.requests.runs === undefined) {
        session.observe('OPEN-22', `one-shot with our guess at runs: ${reply.response?.status}`, [
          reply,
        ])
        session.reserve(
          'unproven',
          ['V3-ONE-05'],
          'our guess at the shape of runs was refused: say requests.runs in the profile',
        )
        return
      }
      const taken = () => expectAccepted(reply, 'a one-shot with the runs of the profile')
      if (!claim('V3-ONE-05', taken, reply)) return
      for (let tries = 1; tries < 3 && !answerText(reply)?.includes(nonce); tries += 1) {
        reply = await oneShot.ask(oneShot.body(ask, { runs }), { role: 'act' })
      }
      const known = answerText(reply)?.includes(nonce)
      if (!known && profile.requests.runs === undefined) {
        session.reserve(
          'inconclusive',
          ['V3-ONE-05'],
          'our guess at the shape of runs was accepted but not understood: say requests.runs in the profile',
        )
        return
      }
      claim('V3-ONE-05', () => expect(known, 'the fact of the run is known').toBe(true), reply)
    },
  )

  test(
    'assistant_id may be null',
    covers(['V3-ONE-06'], { requests: 2, generations: 1 }, 1),
    async ({ oneShot, claim, profile, session }) => {
      const assistant = profile.requests.assistant ?? { instructions: 'You are brief.' }
      const reply = await oneShot.send(
        oneShot.body('Name a colour.', { assistant_id: null, assistant }),
      )
      if (!succeeded(reply) && profile.requests.assistant === undefined) {
        session.observe('OPEN-11', `our guess at assistant: ${reply.response?.status}`, [reply])
        const plain = await oneShot.send(oneShot.body('Name a colour.', { assistant_id: null }))
        given(
          succeeded(plain),
          'the structure of assistant is open: say requests.assistant in the profile',
          plain,
        )
        claim('V3-ONE-06', () => expectResponse(plain, 'assistant_id: null'), plain)
        return
      }
      const members = Object.keys(assistant).join(', ')
      session.observe('OPEN-11', `${members}: ${reply.response?.status}`, [reply])
      claim('V3-ONE-06', () => expectResponse(reply, 'assistant_id: null with an assistant'), reply)
    },
  )

  test(
    'searcher answers from a knowledge base',
    covers(['V3-ONE-07'], { requests: 4, generations: 2 }, 2),
    async ({ oneShot, claim, profile }) => {
      const { knowledge } = profile
      declared(knowledge, 'knowledge')
      const body = (more: Record<string, unknown>) =>
        oneShot.body(knowledge.question, { assistant_id: 'searcher', ...more })
      const open = await oneShot.send(body({}))
      claim('V3-ONE-07', () => expectResponse(open, 'searcher without kb_id'), open)
      let reply = await oneShot.send(body({ kb_id: knowledge.baseId }))
      for (
        let tries = 1;
        tries < 3 && succeeded(reply) && !contains(bodyJson(reply), knowledge.expect);
        tries += 1
      ) {
        reply = await oneShot.send(body({ kb_id: knowledge.baseId }))
      }
      claim(
        'V3-ONE-07',
        () => {
          expectAccepted(reply, 'searcher with kb_id')
          expect(
            contains(bodyJson(reply), knowledge.expect),
            'what the base says is in the response',
          ).toBe(true)
        },
        reply,
      )
    },
  )

  test(
    'assistant_id may name an assistant of the catalog',
    covers(['V3-ONE-08'], { requests: 2, generations: 2 }),
    async ({ oneShot, claim, profile }) => {
      const { withKnowledge, withoutKnowledge } = profile.assistants ?? {}
      const ids = [withKnowledge, withoutKnowledge].filter((id) => id !== undefined)
      declared(ids[0], 'assistants')
      for (const id of ids) {
        const reply = await oneShot.send(oneShot.body('Name a colour.', { assistant_id: id }))
        claim('V3-ONE-08', () => expectResponse(reply, `assistant_id ${id}`), reply)
      }
    },
  )

  test(
    'a one-shot stores no chat',
    covers(['V3-ONE-09'], { requests: 40, generations: 1, chats: 1 }),
    async ({ oneShot, v3, chats, claim, session }) => {
      const chat = await v3.createChat()
      const shown = await chats.walk({}, [chat])
      given(shown.pagesWith(chat.id).length > 0, 'the list does not show a chat that exists')
      const before = await chats.list()
      const nonce = session.nonce()
      await oneShot.ask(oneShot.body(`Name a colour for ${nonce}.`))
      const found = await chats.list({ search: nonce })
      const after = await chats.list()
      // A chat that is called by none of its words gives itself away by its history.
      const known = new Set(idsIn(before))
      const histories: Exchange[] = []
      for (const id of idsIn(after).filter((one) => !known.has(one))) {
        histories.push(await v3.history(id))
      }
      claim(
        'V3-ONE-09',
        () => {
          for (const list of [found, after]) {
            expect(contains(bodyJson(list), nonce), 'a chat with the words of the one-shot').toBe(
              false,
            )
          }
          const kept = histories.filter((history) => contains(bodyJson(history), nonce))
          expect(kept.length, 'new chats whose history holds the one-shot').toBe(0)
        },
        found,
        after,
        ...histories.filter((history) => contains(bodyJson(history), nonce)),
      )
    },
  )

  test(
    'a one-shot with a field of another type is refused',
    covers(['V3-ONE-12'], { requests: 18, generations: 2, chats: 1 }),
    async ({ oneShot, v3, refuses, profile }) => {
      const chat = await v3.createChat()
      const right = oneShot.body('Name a colour.')
      const twin = await oneShot.send(right, { role: 'twin' })
      const wrong = {
        model_id: { id: 'model' },
        input: { text: 'Name a colour.' },
        runs: 'none',
        stream: { on: false },
        assistant_id: { id: 'searcher' },
        rag: 7,
      }
      for (const [field, value] of Object.entries(wrong)) {
        await refuses({
          row: 'V3-ONE-12',
          twin,
          what: `${field}: ${JSON.stringify(value)}`,
          send: () => oneShot.send({ ...right, [field]: value }, { role: 'negative' }),
          alive: () => v3.alive(chat),
        })
      }

      // kb_id is used with searcher: without it, nobody need look at its type.
      const { baseId } = profile.knowledge ?? {}
      if (!profile.capabilities.knowledge || baseId === undefined) return
      const search = { ...right, assistant_id: 'searcher', kb_id: baseId }
      const searched = await oneShot.send(search, { role: 'twin' })
      if (!succeeded(searched)) return
      await refuses({
        row: 'V3-ONE-12',
        twin: searched,
        what: 'kb_id: an object',
        send: () => oneShot.send({ ...search, kb_id: { id: baseId } }, { role: 'negative' }),
        alive: () => v3.alive(chat),
      })
    },
  )

  test(
    'both tool lists on one-shot are answered somehow',
    covers(['V3-ONE-01'], { requests: 1, generations: 1 }),
    async ({ oneShot, session }) => {
      const lists = { exclude_tools: ['get_weather'], include_tools: ['get_time'] }
      const seen = await oneShot.send(oneShot.body('Name a colour.', lists), { role: 'probe' })
      session.observe(
        'OPEN-37',
        declined(seen) ? `refused with ${seen.response?.status}` : 'accepted',
        [seen],
      )
    },
  )
})

/** The UUIDs that an answer shows, without those that are shown twice. */
function idsIn(exchange: Exchange): string[] {
  const texts = leavesOf(bodyJson(exchange)).map(({ value }) => value)
  return [...new Set(texts.filter(isUuid))]
}

/** Objects with fields such as id and output; the told sentence stands in both halves of the run. */
function guessedRun(id: string, tell: string) {
  return {
    id,
    input: [inputText(tell)],
    output: [
      {
        type: 'message',
        id: `msg_${id}`,
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: `Noted: ${tell}`, annotations: [] }],
      },
    ],
  }
}
