import {
  coversAtDepth,
  describe,
  expect,
  expectAccepted,
  expectResponse,
  fill,
  isDeclined,
  isObject,
  type Row,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { createDeliveryLaw } from '../support/delivery.ts'
import { inputTexts } from '../support/history.ts'
import { buildRecall, createRecallLaw, knows } from '../support/recall.ts'
import { inputEdits, modelEdits, set, setKnown, textEdits, toolEdits, withImage } from './edits.ts'
import { type Body, describeRow, plain, type Trial, tryConditions } from './trials.ts'

/** Sections 4.3 and 4.4: the laws of one-shots hold under all conditions. */
describe('v3: laws of one-shots', () => {
  test(
    'a one-shot keeps its requirements under every condition',
    coversAtDepth(
      [
        ...(['V3-ONE-01', 'V3-ONE-02', 'V3-ONE-03', 'V3-ONE-04', 'V3-ONE-05'] as const),
        ...(['V3-ONE-08', 'V3-ONE-10', 'V3-ONE-11', 'V3-MODEL-01', 'V3-MODEL-02'] as const),
        ...(['V3-GEN-16', 'RAG-02', 'RAG-03', 'RAG-07', 'V3-AUTH-05', 'V3-SSE-30'] as const),
      ],
      (rows) => ({ requests: rows + 3, generations: rows + 1 }),
    ),
    async ({ oneShot, claim, profile, session, prompts, coverage }) => {
      const facts: string[] = []
      let recall = buildRecall(profile, '')
      let isContentRead = true
      const { otherKey, requests, assistants, capabilities, models } = profile
      const hasRuns = (row: Row) => row['runs'] !== plain && row['runs'] !== 'none'
      // The profile does not say which of several runs states the fact.
      const runsEdit = (part: (runs: readonly unknown[]) => readonly unknown[]) => {
        const { runs } = requests
        const chosen = runs && part(runs)
        const states = JSON.stringify(chosen ?? []).includes('{nonce}')
        if (chosen === undefined || (chosen.length > 0 && !states)) return undefined
        return (body: Body) => ({ ...body, runs: fill(chosen, { nonce: facts.at(-1) ?? '' }) })
      }
      const assistant = assistants?.withoutKnowledge
      const knowsFact = createRecallLaw({ claim, session }, (text) =>
        oneShot.sendOk(oneShot.body(text)),
      )
      const send = (body: Body, isSecond: boolean) =>
        oneShot.send(body, {
          role: 'act',
          ...(isSecond && { authorization: `Bearer ${otherKey}` }),
        })
      const inputs = inputEdits('', { prompts })
      const isDelivered = createDeliveryLaw({ claim, prompts }, 'V3-SSE-30', (text) =>
        send(oneShot.body(text, { stream: true }), false),
      )

      const trials = await tryConditions(
        { claim, session, coverage },
        {
          operation: 'v3.oneShot',
          base(row) {
            facts.push(session.nonce())
            recall = buildRecall(profile, facts.at(-1) ?? '')
            const isTold = !hasRuns(row) && !row['input']?.startsWith('several')
            if (row['max_tokens'] !== plain) return oneShot.body(prompts.longAnswer())
            return oneShot.body(isTold ? `${recall.tell} ${recall.ask}` : recall.ask)
          },
          edits: {
            ...textEdits('input', { prompts, session }),
            model: modelEdits(profile, 'model_id'),
            input: {
              items: inputs.items,
              'several items': (body) =>
                inputEdits(recall.tell, { prompts })['several items'](body),
              'several parts': (body) =>
                inputEdits(recall.tell, { prompts })['several parts'](body),
              content: ({ input, ...rest }) => ({ ...rest, content: input }),
              'item of a developer': inputs['item of a developer'],
              image: capabilities.images === true ? withImage(models.vision) : undefined,
            },
            think: { true: set({ think: true }), false: set({ think: false }) },
            rag: {
              false: set({ rag: false }),
              agent: set({ rag: 'agent' }),
              true:
                assistant === undefined ? undefined : set({ rag: true, assistant_id: assistant }),
            },
            tools: toolEdits(profile),
            max_tokens: { '24': set({ max_tokens: 24 }) },
            runs: {
              none: runsEdit(() => []),
              one: runsEdit((runs) => runs.slice(0, 1)),
              several: runsEdit((runs) => runs),
            },
            assistant_id: { UUID: setKnown('assistant_id', assistant) },
            form: { stream: set({ stream: true }) },
            caller: { second: otherKey === undefined ? undefined : (body) => body },
          },
          send: (body, row) => send(body, row['caller'] === 'second'),
          laws: [isInItsForm, isRemembered, isOfThisRequest, arrives],
          always: [{ input: 'content' }],
        },
      )
      if (trials.length === 0) await claimRefused()

      async function arrives({ row, answer, edit }: Trial): Promise<void> {
        if (row['form'] === plain || row['max_tokens'] !== plain) return
        await isDelivered(answer, describeRow(row), (text, more) =>
          send({ ...edit(oneShot.body(text)), ...more }, row['caller'] === 'second'),
        )
      }

      /** Claims V3-ONE-03 for a refused one-shot that is accepted with an Idempotency-Key, otherwise V3-ONE-01. */
      async function claimRefused(): Promise<void> {
        const body = oneShot.body(prompts.brief())
        const refused = await oneShot.send(body, { role: 'act' })
        const headers = { 'idempotency-key': session.uuid() }
        const withKey = await oneShot.send(body, { role: 'control', headers })
        const requirement = isDeclined(withKey) ? 'V3-ONE-01' : 'V3-ONE-03'
        claim(requirement, () => expectAccepted(refused, 'a one-shot'), refused, withKey)
      }

      /** No request of this scenario has an Idempotency-Key. */
      function isInItsForm({ body, answer }: Trial): void {
        if (body['stream'] !== true) {
          claim('V3-ONE-03', () => expectAccepted(answer, 'a one-shot without a key'), answer)
          claim('V3-ONE-01', () => expectResponse(answer, 'a one-shot'), answer)
          return
        }
        const names = answer.events.map((event) => event.name)
        claim(
          'V3-ONE-02',
          () => {
            expect(names, 'events').toContain('response.created')
            expect(
              names.some((name) => terminals.includes(String(name))),
              'the stream has its end',
            ).toBe(true)
          },
          answer,
        )
      }

      async function isRemembered({ row, body, answer }: Trial): Promise<void> {
        const texts = textsOf(body)
        if (!texts.at(-1)?.includes(recall.ask) || row['max_tokens'] !== plain) return
        const isContent = row['input'] === 'content'
        if (isContent && !hasRuns(row)) isContentRead = knows(answer, facts.at(-1) ?? '')
        // A question in content that is not read at all shows nothing of runs.
        if (isContent && hasRuns(row) && !isContentRead) return
        const requirement = hasRuns(row) ? 'V3-ONE-05' : isContent ? 'V3-ONE-04' : 'V3-GEN-16'
        await knowsFact({
          requirement,
          answer,
          fact: facts.at(-1) ?? '',
          conversation: hasRuns(row) ? [recall.tell, ...texts] : texts,
          again: () => send(body, row['caller'] === 'second'),
          what: 'the answer to a question about what the request says',
        })
      }

      function isOfThisRequest({ answer }: Trial): void {
        const foreign = facts.slice(0, -1).filter((fact) => knows(answer, fact))
        claim('V3-ONE-11', () => expect(foreign, 'facts of other requests').toEqual([]), answer)
      }
    },
  )
})

const terminals = ['response.completed', 'response.incomplete']

/** The text of each message of a one-shot. */
function textsOf({ input, content }: Body): string[] {
  if (!Array.isArray(input)) return [String(input ?? content)]
  return input.filter(isObject).map((item) => inputTexts({ item }).join(' '))
}
