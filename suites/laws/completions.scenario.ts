import {
  answerText,
  bodyJson,
  coversAtDepth,
  describe,
  type Exchange,
  expect,
  isDeclined,
  isObject,
  succeeded,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { createDeliveryLaw } from '../support/delivery.ts'
import { buildRecall, createRecallLaw } from '../support/recall.ts'
import { messagesOf, messageTextEdits, modelEdits, set } from './edits.ts'
import { claimStop, stopOf } from './stop.ts'
import { describeRow, plain, type Trial, tryConditions } from './trials.ts'

/** Section 4.1: the laws of completions hold under all conditions. */
describe('compatible surface: laws of completions', () => {
  test(
    'a completion keeps its requirements under every condition',
    coversAtDepth(
      [
        ...(['OAI-CHAT-01', 'OAI-CHAT-12', 'OAI-CHAT-13', 'OAI-CHAT-14', 'OAI-CHAT-16'] as const),
        ...(['OAI-MODELS-02', 'OAI-MODELS-03', 'OAI-TEMP-01', 'OAI-TOPP-01'] as const),
        ...(['OAI-MAXTOK-01', 'OAI-STOP-01', 'OAI-STOP-02', 'OAI-STOP-03'] as const),
        ...(['OAI-STOP-05', 'OAI-STREAM-01', 'OAI-AUTH-05', 'OAI-CHAT-02', 'OAI-CHAT-03'] as const),
        ...(['OAI-CHAT-04', 'OAI-CHAT-05', 'OAI-CHAT-06', 'OAI-CHAT-07', 'OAI-CHAT-08'] as const),
        ...(['OAI-CHAT-09', 'OAI-CHAT-10', 'OAI-CHAT-11', 'OAI-CHAT-15', 'OAI-STREAM-11'] as const),
      ],
      (rows) => ({ requests: 2 * rows + 2, generations: Math.ceil(rows * 1.5) + 2 }),
    ),
    async ({ openai, claim, profile, session, prompts, coverage }) => {
      const facts: string[] = []
      let recall = buildRecall(profile, '')
      const options = { role: 'act' } as const
      const knowsFact = createRecallLaw({ claim, session }, async (text) =>
        send(openai.chatBody(text)),
      )
      const isDelivered = createDeliveryLaw({ claim, prompts }, 'OAI-STREAM-11', (text) =>
        send(openai.chatBody(text, { stream: true })),
      )
      const stopped = new Set<string>()
      // A refusal of these fields says nothing about stop.
      const isSteady = !isDeclined(await send(openai.chatBody(prompts.brief(), steady)))

      const trials = await tryConditions(
        { claim, session, coverage },
        {
          operation: 'openai.chat',
          accepts: 'OAI-CHAT-01',
          isAnswer,
          shownByLaws: ['stop'],
          base(row) {
            facts.push(session.nonce())
            recall = buildRecall(profile, facts.at(-1) ?? '')
            const isStopped = row['stop'] !== plain
            if (isStopped)
              return openai.chatBody(
                prompts.sentences(5, 'the sea looks in winter'),
                isSteady ? steady : {},
              )
            return openai.chatBody(row['max_tokens'] === plain ? recall.ask : prompts.longAnswer())
          },
          edits: {
            ...messageTextEdits({ prompts, session }),
            messages: {
              'with a system message': earlier(() => [
                ['system', prompts.instruction(prompts.instruction('You are brief.'))],
                ['user', recall.tell],
                ['assistant', 'OK.'],
              ]),
              'with an assistant message': earlier(() => [
                ['user', recall.tell],
                ['assistant', 'OK.'],
              ]),
              'of several turns': earlier(() => [
                ['user', prompts.brief()],
                ['assistant', 'Go on.'],
                ['user', `${prompts.brief()}\n${recall.tell}`],
                ['assistant', 'OK.'],
                ['user', prompts.followUp()],
                ['assistant', 'Go on.'],
              ]),
            },
            model: modelEdits(profile, 'model'),
            max_tokens: {
              '1': set({ max_tokens: 1 }),
              '7': set({ max_tokens: 7 }),
              '64': set({ max_tokens: 64 }),
            },
            temperature: {
              '0': set({ temperature: 0 }),
              '0.7': set({ temperature: 0.7 }),
              '2': set({ temperature: 2 }),
            },
            top_p: { '0.5': set({ top_p: 0.5 }) },
            stop: {
              text: set({ stop: stopOf('text', session.nonce()) }),
              'list of one': set({ stop: stopOf('list of one', session.nonce()) }),
              'first of a list': set({ stop: stopOf('first of a list', session.nonce()) }),
              'last of a list': set({ stop: stopOf('last of a list', '\n\n\n\n') }),
            },
            form: {
              stream: set({ stream: true }),
              'stream with usage': set({ stream: true, stream_options: { include_usage: true } }),
            },
            caller: { second: profile.otherKey === undefined ? undefined : (body) => body },
          },
          send: (body, row) => send(body, row['caller'] === 'second'),
          // A plain question after another request stated a fact.
          always: [{ messages: 'with an assistant message' }, {}],
          laws: [isObjectOfItsModel, isRemembered, isOfThisRequest, isCut, arrives],
        },
      )
      const ids = trials.map(({ answer }) => jsonOf(answer)['id']).filter((id) => id !== undefined)
      const [latest] = trials.toReversed()
      if (latest === undefined) return
      claim(
        'OAI-CHAT-14',
        () => expect(new Set(ids).size, 'different ids of completions').toBe(ids.length),
        latest.answer,
      )

      function send(body: unknown, isSecond = false): Promise<Exchange> {
        const { otherKey } = profile
        const caller = isSecond ? { authorization: `Bearer ${otherKey}` } : {}
        return openai.chat(body, { ...options, ...caller })
      }

      async function arrives({ row, answer, edit }: Trial): Promise<void> {
        if (row['form'] === plain || row['max_tokens'] !== plain) return
        await isDelivered(answer, describeRow(row), (text, more) =>
          send({ ...edit(openai.chatBody(text)), ...more }, row['caller'] === 'second'),
        )
      }

      function isObjectOfItsModel({ row, body, answer }: Trial): void {
        const { model } = jsonOf(answer)
        if (row['model'] === 'alias' && model !== undefined)
          session.observe('OPEN-33', `${body['model']} is echoed as ${model}`, [answer])
        if (body['stream'] === true) return
        const completion = jsonOf(answer)
        // Other requirements cover its parts.
        const isCompletion = 'choices' in completion || completion['object'] === 'chat.completion'
        claim(
          'OAI-CHAT-01',
          () => expect(isCompletion, 'the body is a completion').toBe(true),
          answer,
        )
      }

      async function isRemembered({ row, body, answer }: Trial): Promise<void> {
        const messages = messagesOf(body).map(({ content }) => String(content))
        const isAsked =
          row['messages'] !== plain && messages.at(-1)?.includes(recall.ask) && answerText(answer)
        if (!isAsked || row['max_tokens'] !== plain) return
        await knowsFact({
          requirement: 'OAI-CHAT-13',
          answer,
          fact: facts.at(-1) ?? '',
          conversation: messages,
          again: () => send(body, row['caller'] === 'second'),
          what: 'the answer to a question about an earlier message',
        })
      }

      function isOfThisRequest({ body, answer }: Trial): void {
        const fact = facts.at(-1) ?? ''
        const sent = [body['stop'], ...messagesOf(body).map(({ content }) => content)].map(String)
        const text = answerText(answer) ?? ''
        // A server that confuses requests may return the fact of another scenario.
        const foreign = session
          .noncesIn(text)
          .filter((one) => ![...sent, fact].join(' ').includes(one))
        // An answer without facts is no evidence.
        if (foreign.length === 0 && !text.includes(fact)) return
        claim('OAI-CHAT-16', () => expect(foreign, 'facts of other requests').toEqual([]), answer)
      }

      /** Tests each form of `stop` once at depth normal. */
      async function isCut(trial: Trial): Promise<void> {
        const form = `${trial.row['stop']} ${coverage.depth === 'full' ? trial.answer.id : trial.row['form']}`
        if (trial.row['stop'] === plain || stopped.has(form)) return
        stopped.add(form)
        await claimStop({ claim }, trial, (body) => send(body, trial.row['caller'] === 'second'))
      }
    },
  )
})

/** Tests if a completion or a stream has a text. */
function isAnswer(answer: Exchange): boolean {
  return typeof answerText(answer) === 'string'
}

/** Parameters with which a repeated request gives the same answer. */
const steady = { temperature: 0, max_tokens: 160 }

/** Messages before the last one. */
function earlier(turns: () => readonly (readonly [role: string, content: string])[]) {
  return (body: Readonly<Record<string, unknown>>) => ({
    ...body,
    messages: [...turns().map(([role, content]) => ({ role, content })), ...messagesOf(body)],
  })
}

/** The body of an unstreamed answer. */
function jsonOf(answer: Exchange): Readonly<Record<string, unknown>> {
  const body = bodyJson(answer)
  return succeeded(answer) && isObject(body) ? body : {}
}
