import {
  answerParts,
  answerText,
  assume,
  covers,
  describe,
  expect,
  expectAccepted,
  finalResponse,
  inputRows,
  inputText,
  isDeclined,
  succeeded,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { withReasoning } from '../support/forms.ts'
import { claimTurnKept } from '../support/history.ts'
import { assumeGivesBack, buildRecall } from '../support/recall.ts'

/** Section 2.6: a chat is a chain of runs. A fact is planted; the wording of answers is not judged. */
describe('v3: context', () => {
  test(
    'a fact from an earlier item or run is known, one from another chat is not',
    covers(['V3-GEN-16', 'V3-CTX-01', 'V3-CTX-02'], { requests: 18, generations: 8, chats: 4 }, 18),
    async ({ v3, claim, profile, session, prompts }) => {
      const nonce = session.nonce()
      const { tell, ask } = buildRecall(profile, nonce)
      const able = await v3.generateOk(v3.generateBody(await v3.createChat(), `${tell} ${ask}`))
      assume(
        answerText(able)?.includes(nonce),
        'the model does not give back a fact from the same message',
        able,
      )

      // The fact is in a second part of its message.
      const statementItem = {
        ...inputText(tell),
        content: [prompts.brief(), tell].map((text) => ({ type: 'input_text', text })),
      }
      const input = [statementItem, inputText(ask)]
      let counted = await v3.generateOk(v3.generateBody(await v3.createChat(), input))
      for (let tries = 1; tries < 3 && !answerText(counted)?.includes(nonce); tries += 1) {
        counted = await v3.generateOk(v3.generateBody(await v3.createChat(), input))
      }
      const send = async (text: string) =>
        v3.generateOk(v3.generateBody(await v3.createChat(), text))
      if (!answerText(counted)?.includes(nonce)) {
        await assumeGivesBack(nonce, [prompts.brief(), tell, ask], send)
      }
      claim(
        'V3-GEN-16',
        () => expect(answerText(counted), 'the answer to two items').toContain(nonce),
        counted,
      )

      const chat = await v3.createChat()
      const freshChat = await v3.createChat()
      const topic = prompts.brief()
      const opening = await v3.generateOk(v3.generateBody(chat, topic))
      const openingId = finalResponse(opening)?.['id']
      const follow = typeof openingId === 'string' ? { parent_id: openingId } : {}
      const statement = await v3.generateOk(v3.generateBody(chat, tell, follow))
      const otherReply = await v3.generateOk(v3.generateBody(freshChat, ask))
      const otherAnswer = answerText(otherReply) ?? ''
      // A server that mixes chats up may give back the fact of another scenario.
      const facts = [nonce, ...session.noncesIn(otherAnswer)].filter(
        (fact) => otherAnswer.includes(fact) && !freshChat.name.includes(fact),
      )
      claim(
        'V3-CTX-02',
        () => expect([...new Set(facts)], 'facts of other chats in a fresh one').toEqual([]),
        otherReply,
        statement,
      )

      const parent = finalResponse(statement)?.['id']
      let reply = statement
      let isRemembered = false
      const askInChat = session.repeated(() =>
        v3.generateOk(
          v3.generateBody(chat, ask, typeof parent === 'string' ? { parent_id: parent } : {}),
        ),
      )
      for (let tries = 0; tries < 3 && !isRemembered; tries += 1) {
        reply = await askInChat()
        isRemembered = answerText(reply)?.includes(nonce) ?? false
      }
      const chain = [topic, answerText(opening), tell, answerText(statement)]
      if (!isRemembered) await assumeGivesBack(nonce, [...chain, ask], send)
      claim(
        'V3-CTX-01',
        () => expect(isRemembered, 'the answer contains the fact of the earlier run').toBe(true),
        reply,
        statement,
      )

      const between = await v3.generateOk(
        v3.generateBody(
          chat,
          prompts.brief(),
          typeof parent === 'string' ? { parent_id: parent } : {},
        ),
      )
      const betweenId = finalResponse(between)?.['id']
      if (isRemembered && typeof betweenId === 'string') {
        // Twice, so that it is no text of an earlier turn.
        const question = [inputText(`${ask} ${ask}`)]
        const options = { stream: true, ...withReasoning(profile), parent_id: betweenId }
        const body = v3.generateBody(chat, question, options)
        const askLater = session.repeated(() => v3.generateOk(body))
        let later = await askLater()
        const knows = () => answerParts(later).join('').includes(nonce)
        for (let tries = 1; tries < 3 && !knows(); tries += 1) later = await askLater()
        if (!knows() && answerParts(later).length > 0) {
          const turn = [prompts.brief(), answerText(between)]
          await assumeGivesBack(nonce, [...chain, ...turn, `${ask} ${ask}`], send)
        }
        // What is wrong with a stream is for other rows.
        if (answerParts(later).length > 0) {
          claim(
            'V3-CTX-01',
            () =>
              expect(
                knows(),
                'the streamed answer contains the fact of the run before the last',
              ).toBe(true),
            later,
            statement,
            between,
          )
        }
      }
    },
  )

  test(
    'parent_id is optional in every turn and may name the previous run',
    covers(['V3-GEN-11', 'V3-GEN-15', 'V3-IDEM-01', 'V3-IDEM-02', 'V3-HIST-07'], {
      requests: 13,
      generations: 4,
      chats: 1,
    }),
    async ({ v3, claim, profile, session, prompts }) => {
      const nonce = session.nonce()
      const { tell, ask } = buildRecall(profile, nonce)
      const chat = await v3.createChat()
      const first = await v3.generate(v3.generateBody(chat, tell))
      claim('V3-GEN-11', () => expectAccepted(first, 'a generation without parent_id'), first)
      const second = await v3.generate(v3.generateBody(chat, ask))
      claim(
        'V3-GEN-11',
        () => expectAccepted(second, 'a second generation without parent_id'),
        second,
        first,
      )
      // Whether it remembers the first one is open.
      if (succeeded(second)) {
        session.observe('OPEN-36', answerText(second)?.includes(nonce) ? 'yes' : 'no', [second])
      }
      const runId = finalResponse(second)?.['id'] ?? finalResponse(first)?.['id']
      assume(typeof runId === 'string', 'the response shows no id', first, second)
      const reference = session.nonce()
      const turn = v3.generateBody(chat, prompts.brief(reference), {
        parent_id: runId,
      })
      const key = session.uuid()
      // What follows a request that is refused, for its missing key, is kept like any other.
      const keyless = await v3.generate(
        v3.generateBody(chat, prompts.otherBrief(), { parent_id: runId }),
        { key: null, role: 'negative' },
      )
      const next = await v3.generate(turn, { key })
      claim(
        'V3-GEN-11',
        () => expectAccepted(next, 'a generation with the parent_id of the previous run'),
        next,
      )
      if (succeeded(next)) {
        claim(
          'V3-IDEM-01',
          () =>
            expect(isDeclined(keyless), 'a third turn without Idempotency-Key is refused').toBe(
              true,
            ),
          keyless,
          next,
        )
        await claimTurnKept({ v3, claim }, chat, reference, next)
      }
      const nextId = finalResponse(next)?.['id']
      if (nextId === undefined) return
      claim(
        'V3-GEN-15',
        () => expect(nextId, 'the id of another response').not.toBe(runId),
        next,
        second,
      )

      const before = await v3.waitForHistory(
        chat,
        (history) => inputRows(history, reference).length > 0,
      )
      const repeat = await v3.generate(turn, { key, repeatOf: next.id })
      const after = await v3.historyAfterPause(chat)
      assume(
        inputRows(before.rows, reference).length > 0,
        'the history does not show the step',
        ...before.pages,
      )
      claim(
        'V3-IDEM-02',
        () => expect(inputRows(after.rows, reference), 'steps with this key').toHaveLength(1),
        repeat,
        next,
        ...after.pages,
      )
    },
  )
})
