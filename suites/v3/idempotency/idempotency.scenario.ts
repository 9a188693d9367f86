import {
  answerParts,
  assume,
  type Chat,
  compareOutputWithHistory,
  contains,
  covers,
  describe,
  type Exchange,
  everyItemShown,
  expect,
  finalResponse,
  inputRows,
  inputText,
  isDeclined,
  type ScenarioContext,
  test,
} from '../../../harness/conformance/scenario/index.ts'
import { describeForm, withReasoning } from '../../support/forms.ts'

/** Section 4.3: repeats with one Idempotency-Key. What counts is the history: the step is there once. */
describe('v3: idempotency', () => {
  for (const [form, row, stream] of [
    ['one JSON body', 'V3-IDEM-02', false],
    ['a stream', 'V3-IDEM-03', true],
  ] as const) {
    test(
      `a repeat of a finished request adds no second step (${form})`,
      covers([row, 'V3-IDEM-08', 'V3-HIST-07', ...(stream ? (['V3-IDEM-01'] as const) : [])], {
        requests: stream ? 14 : 9,
        generations: 3,
        chats: stream ? 2 : 1,
      }),
      async ({ v3, chats, claim, expectRejected, session, profile, prompts }) => {
        const chat = await v3.createChat()
        const nonce = session.nonce()
        const question = prompts.brief(nonce)
        const options = stream ? { stream } : { stream, ...withReasoning(profile) }
        const input = stream ? question : [inputText(question)]
        const turn = v3.generateBody(chat, input, options)
        const key = session.uuid()
        const first = await v3.generateOk(turn, { key })
        if (stream) {
          // In a chat of its own: what a refused request leaves behind is not for this row.
          const apart = await v3.createChat()
          await expectRejected({
            row: 'V3-IDEM-01',
            control: first,
            what: `no Idempotency-Key${describeForm({ stream })}`,
            send: () =>
              v3.generate(v3.generateBody(apart, prompts.brief(), options), {
                key: null,
                role: 'negative',
              }),
            ping: () => v3.ping(apart),
          })
        }
        // Not the deltas: that they are the answer is for a row of the stream.
        const answer = answerParts(first)
        const holdsAnswer = (value: unknown) => answer.every((text) => contains(value, text))
        const items = finalResponse(first)?.['output']
        const output = Array.isArray(items) ? items : []
        const before = await v3.waitForHistory(
          chat,
          // Rows of reasoning may come last, and would else be counted as a second step.
          (history) =>
            inputRows(history, nonce).length > 0 &&
            holdsAnswer(history) &&
            compareOutputWithHistory(output, history).length === 0,
        )
        // What the bytes of a stream lost is for a row of the stream, too.
        const isWhole = !answer.some((text) => text.includes('\ufffd'))
        if (isWhole && everyItemShown(before.rows)) {
          claim(
            'V3-HIST-07',
            () => {
              expect(contains(before.rows, nonce), 'the history holds the question').toBe(true)
              expect(holdsAnswer(before.rows), 'the history holds the answer').toBe(true)
            },
            first,
            ...before.pages,
          )
        }
        // The keys of a chat outlast a change of its name.
        if (stream) await chats.rename(chat.id, session.name(), { role: 'probe' })
        const repeat = await v3.generate(turn, { key, repeatOf: first.id })
        session.observe('OPEN-28', `${form}: ${describeRepeat(first, repeat)}`, [first, repeat])
        const inOtherForm = await v3.generate(
          { ...turn, stream: !stream },
          { key, repeatOf: first.id },
        )
        for (const again of [repeat, inOtherForm]) {
          claim(
            'V3-IDEM-08',
            () => expect(again.response?.status, 'status of the repeat').toBeLessThan(500),
            again,
          )
        }
        assume(
          inputRows(before.rows, nonce).length > 0,
          'the history does not show the step',
          ...before.pages,
        )
        const after = await v3.historyAfterPause(chat)
        claim(
          row,
          () => {
            expect(inputRows(after.rows, nonce), 'steps with this key').toHaveLength(1)
            expect(after.rows.length, 'rows of the history').toBe(before.rows.length)
          },
          repeat,
          inOtherForm,
          first,
          ...after.pages,
        )
      },
    )
  }

  test(
    'a repeat during the first request adds no second step',
    covers(['V3-IDEM-04', 'V3-IDEM-08'], { requests: 9, generations: 2, chats: 1 }),
    async ({ v3, claim, session, prompts }) => {
      const chat = await v3.createChat()
      const nonce = session.nonce()
      const turn = v3.generateBody(chat, prompts.sentencesAbout(5, nonce), {
        stream: true,
      })
      const key = session.uuid()
      const running = v3.startGenerate(turn, { key })
      await running.answered
      const repeat = await v3.generate(turn, { key, role: 'negative' })
      const first = await running.exchange
      session.observe('OPEN-29', describeRepeat(first, repeat), [first, repeat])
      claim(
        'V3-IDEM-08',
        () => expect(repeat.response?.status, 'status of the repeat').toBeLessThan(500),
        repeat,
      )
      await countOnce({ v3, claim, chat, nonce, row: 'V3-IDEM-04', sent: [repeat, first] })
    },
  )

  test(
    'concurrent requests with one key add one step',
    covers(['V3-IDEM-05', 'V3-IDEM-08'], { requests: 9, generations: 3, chats: 1 }),
    async ({ v3, claim, session, prompts }) => {
      const chat = await v3.createChat()
      const nonce = session.nonce()
      const turn = v3.generateBody(chat, prompts.brief(nonce))
      const key = session.uuid()
      // Nobody knows which of them is the first, and how the others are answered is open.
      const racers = [1, 2, 3].map(() => v3.generate(turn, { key, role: 'negative' }))
      const sent = await Promise.all(racers)
      for (const racer of sent) {
        claim(
          'V3-IDEM-08',
          () => expect(racer.response?.status, 'status of a racing request').toBeLessThan(500),
          racer,
        )
      }
      await countOnce({ v3, claim, chat, nonce, row: 'V3-IDEM-05', sent })
    },
  )
})

interface SentWithOneKey extends Pick<ScenarioContext, 'v3' | 'claim'> {
  readonly chat: Chat
  readonly nonce: string
  readonly row: 'V3-IDEM-04' | 'V3-IDEM-05'
  readonly sent: readonly Exchange[]
}

/** One step of the user, whatever the requests were answered; none is no proof. */
async function countOnce({ v3, claim, chat, nonce, row, sent }: SentWithOneKey): Promise<void> {
  assume(!sent.every(isDeclined), 'every request was refused', ...sent)
  await v3.waitForHistory(chat, (history) => inputRows(history, nonce).length > 0)
  const { rows, pages } = await v3.historyAfterPause(chat)
  const steps = inputRows(rows, nonce)
  assume(steps.length > 0, 'the history does not show the step', ...pages)
  claim(row, () => expect(steps, 'steps with this key').toHaveLength(1), ...sent, ...pages)
}

/** The answer to a repeat, in words; without numbers, which differ from run to run. */
function describeRepeat(first: Exchange, repeat: Exchange): string {
  const status = repeat.response?.status
  if (isDeclined(repeat)) return `refused with ${status}`
  if (repeat.events.length === 0) return `${status}, a JSON body`
  const more = repeat.events.length - first.events.length
  const events = more === 0 ? 'as many events as' : `${more > 0 ? 'more' : 'fewer'} events than`
  return `${status}, a stream of ${events} the first`
}
