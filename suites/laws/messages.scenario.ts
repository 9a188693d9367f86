import { header } from '../../contract/index.ts'
import {
  answerText,
  assume,
  bodyJson,
  coversAtDepth,
  describe,
  type Exchange,
  expect,
  expectAccepted,
  isDeclined,
  isObject,
  succeeded,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { buildRecall, createRecallLaw } from '../support/recall.ts'
import { attachedFile } from '../support/uploads.ts'
import { modelEdits, set, setKnown, textEdits } from './edits.ts'
import { type Body, plain, type Trial, tryConditions } from './trials.ts'

/** Section 4.2: the laws of stored messages and their replies hold under all conditions. */
describe('v2: laws of messages', () => {
  test(
    'a message is stored as it was sent under every condition',
    coversAtDepth(
      [
        ...(['V2-MSG-01', 'V2-MSG-02', 'V2-MSG-03', 'V2-MSG-04', 'V2-MSG-05'] as const),
        ...(['V2-MSG-06', 'V2-MSG-07', 'V2-MSG-10', 'V2-MSG-11', 'V2-MSG-12'] as const),
        ...(['V2-MSG-13', 'V2-MSG-14', 'V2-MODEL-01', 'V2-MODEL-02'] as const),
      ],
      (rows) => ({ requests: rows + 7, uploads: 2 }),
    ),
    async ({ v2, attachments, claim, profile, session, prompts, coverage }) => {
      const chat = await v2.chat()
      const files = [
        await attachedFile({ attachments, profile, session }),
        await attachedFile({ attachments, profile, session }),
      ]
      const canAttach = files.every(isObject)
      const { id: parent } = await v2.storeOk(chat, prompts.brief())
      const next = await v2.message(v2.messageBody(chat, prompts.brief()), { role: 'act' })
      claim('V2-MSG-01', () => expectAccepted(next, 'a second message of a chat'), next)
      const ids = new Set<unknown>([parent])
      const { main, aliases, vision } = profile.models

      await tryConditions(
        { claim, session, coverage },
        {
          operation: 'v2.message',
          accepts: 'V2-MSG-01',
          base: () => v2.messageBody(chat, prompts.brief(session.nonce())),
          edits: {
            ...textEdits('content', { prompts, session }),
            model: modelEdits(profile, 'model_id'),
            parent: { given: set({ parent_id: parent }) },
            think: { true: set({ think: true }), false: set({ think: false }) },
            rag: {
              true: set({ rag: true }),
              false: set({ rag: false }),
              agent: set({ rag: 'agent' }),
            },
            attachments: {
              none: set({ attachments: [] }),
              one: canAttach ? set({ attachments: files.slice(0, 1) }) : undefined,
              several: canAttach ? set({ attachments: files }) : undefined,
            },
            assistant_id: {
              UUID: setKnown('assistant_id', profile.assistants?.withoutKnowledge),
              instructions: setKnown('assistant_id', profile.assistants?.instructions),
            },
          },
          send: (body) => v2.message(body, { role: 'act' }),
          laws: [isItself, isOfItsModel, isOfNow],
        },
      )

      function isItself({ answer }: Trial): void {
        const id = memberOf(answer, 'id')
        const isOld = expect(ids.has(id), 'the id is that of another message')
        claim('V2-MSG-02', () => isOld.toBe(false), answer)
        ids.add(id)
      }

      /** Compares models, not their ids: the document leaves open which id of a model an answer has. */
      function isOfItsModel({ body, answer }: Trial): void {
        const id = memberOf(answer, 'model_id')
        const ofMain: readonly unknown[] = [main, ...aliases]
        const strangers = body['model_id'] === vision ? ofMain : [vision]
        if (ofMain.includes(vision)) return
        claim(
          'V2-MSG-04',
          () => expect(strangers.includes(id), 'model_id names another model').toBe(false),
          answer,
        )
      }

      function isOfNow({ answer }: Trial): void {
        const created = Date.parse(String(memberOf(answer, 'created_at')))
        const now = Date.parse(header(answer.response?.headers ?? [], 'date') ?? '')
        if (Number.isNaN(created) || Number.isNaN(now)) return
        const minutes = Math.round(Math.abs(created - now) / 60_000)
        const what = 'minutes between created_at and the Date of the answer'
        claim('V2-MSG-07', () => expect(minutes, what).toBeLessThan(maxMinutes), answer)
      }
    },
  )

  test(
    'a stored message gets its reply under every condition',
    coversAtDepth(
      ['V2-GEN-01', 'V2-GEN-04', 'V2-CTX-01', 'V2-CTX-02', 'V2-MODEL-01', 'V2-MODEL-02'],
      (rows, depth) => ({
        requests: 4 * share(rows) + 9,
        generations: share(rows) * (depth === 'full' ? 2 : 1) + 4,
        uploads: 1,
      }),
    ),
    async ({ v2, attachments, claim, profile, session, prompts, coverage }) => {
      const chat = await v2.chat()
      const file = await attachedFile({ attachments, profile, session })
      const nonce = session.nonce()
      const { tell, ask } = buildRecall(profile, nonce)
      const opening = `${prompts.brief()}\n${tell}\n${prompts.note(session.nonce())}`
      const { id: openingId } = await v2.storeOk(chat, opening)
      const first = await v2.generate(v2.generateBody(chat, openingId), { role: 'act' })
      claim('V2-GEN-01', () => expectAccepted(first, 'a reply'), first)
      assume(!isDeclined(first), 'a reply is refused', first)
      // The fact is two links away, to distinguish a chain of one link from a complete one.
      const between = { parent_id: openingId }
      let parent = (await v2.storeAndGenerate(chat, prompts.brief(), between)).messageId
      const conversation = [opening, prompts.brief()]
      let question = ''
      let isChained = false
      const knowsFact = createRecallLaw(
        { claim, session },
        async (text) => (await v2.storeAndGenerate(await v2.chat(), text)).reply,
      )
      const tool = profile.tools?.name ?? 'get_time'

      await tryConditions(
        { claim, session, coverage: { ...coverage, rows: share(coverage.rows) } },
        {
          operation: 'v2.generate',
          accepts: 'V2-GEN-01',
          async base(row) {
            const { model_id } =
              modelEdits(profile, 'model_id')[row['model'] as 'alias' | 'vision']?.({}) ?? {}
            question = questionOf(row['text'])
            const chained = row['parent'] === plain ? {} : { parent_id: parent }
            const more: Body = {
              ...chained,
              ...(row['think'] !== plain && { think: true }),
              ...(row['rag'] !== plain && { rag: row['rag'] === 'true' ? true : row['rag'] }),
              ...(model_id !== undefined && { model_id }),
              ...(row['attachments'] !== plain && { attachments: [file] }),
            }
            const stored = await v2.message(v2.messageBody(chat, question, more))
            isChained = succeeded(stored) && row['parent'] !== plain
            // Another scenario tests the response to a message with these fields.
            const id = succeeded(stored)
              ? v2.storedId(stored)
              : (await v2.storeOk(chat, question)).id
            if (row['later message'] !== plain) {
              const later = v2.messageBody(chat, prompts.otherBrief(), chained)
              await v2.message(later, { role: 'probe' })
            }
            return v2.generateBody(chat, id)
          },
          edits: {
            model: modelEdits(profile, 'model_id'),
            parent: { given: (body) => body },
            think: { true: (body) => body },
            rag: { true: (body) => body, agent: (body) => body },
            'later message': { stored: (body) => body },
            attachments: { one: isObject(file) ? (body) => body : undefined },
            overlap: { 'two at once': coverage.depth === 'full' ? (body) => body : undefined },
            exclude_tools: {
              none: set({ exclude_tools: [] }),
              one: set({ exclude_tools: [tool] }),
              several: set({ exclude_tools: ['get_weather', tool, 'get_date'] }),
            },
            text: {
              'of several lines': (body) => body,
              'beyond ASCII': (body) => body,
              'of digits': (body) => body,
            },
          },
          async send(body, row) {
            const reply = () => v2.generate(body, { role: 'act' })
            if (row['overlap'] === plain) return reply()
            const replies = await Promise.all([reply(), reply()])
            return replies.findLast((one) => !isDeclined(one)) ?? replies[0]
          },
          always: [{ parent: 'given' }],
          laws: [hasText, isRemembered],
        },
      )

      const otherChat = await v2.chat()
      if (otherChat !== chat) {
        const { reply } = await v2.storeAndGenerate(otherChat, ask)
        const text = expect(answerText(reply), 'the answer in a fresh chat')
        claim('V2-CTX-02', () => text.not.toContain(nonce), reply)
      }

      function questionOf(kind: string | undefined): string {
        const reference = session.nonce()
        if (kind === 'of digits') return reference.replaceAll(/\D/g, '')
        const text = kind === plain ? ask : `${prompts.note(reference)} ${ask}`
        if (kind === 'of several lines') return `First line.\n${text}\nLast line.`
        return kind === 'beyond ASCII' ? `${text} Größe, 東京 🚀.` : text
      }

      function hasText({ answer }: Trial): void {
        const text = expect(answerText(answer), 'message.content')
        claim('V2-GEN-01', () => text.toBeTypeOf('string'), answer)
      }

      async function isRemembered({ body, answer }: Trial): Promise<void> {
        if (!isChained) return
        if (question.includes(ask)) {
          await knowsFact({
            requirement: 'V2-CTX-01',
            answer,
            fact: nonce,
            conversation: [...conversation, question],
            again: () => v2.generate(body, { role: 'act' }),
            what: 'the answer to a question about the first message of the chain',
          })
        }
        conversation.push(question, answerText(answer) ?? '')
        parent = String(body['parent_id'])
      }
    },
  )
})

/** Limit below half an hour, the smallest difference between time zones. */
const maxMinutes = 20

/** Replies have fewer conditions than messages. */
function share(rows: number): number {
  return Math.ceil(rows * 0.75)
}

function memberOf(answer: Exchange, name: string): unknown {
  const body = bodyJson(answer)
  return isObject(body) ? body[name] : undefined
}
