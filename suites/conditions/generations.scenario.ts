import {
  answerParts,
  type Chat,
  contains,
  covers,
  describe,
  type Exchange,
  everyItemShown,
  expect,
  finalResponse,
  isObject,
  type ScenarioContext,
  type TargetProfile,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { inputTexts } from '../support/history.ts'
import { modelAliases } from '../support/test-data.ts'
import { type Body, sendRows } from './rows.ts'
import { inputForms, set, textsOf } from './values.ts'

/** Sections 2.6, 4.3 and 4.4: what holds for a generation holds under each pair of conditions. */
describe('v3: conditions', () => {
  test(
    'a turn keeps its requirements under every condition',
    covers(
      [
        ...([
          'V3-GEN-01',
          'V3-GEN-05',
          'V3-GEN-06',
          'V3-GEN-09',
          'V3-GEN-11',
          'V3-MODEL-01',
        ] as const),
        ...(['V3-HIST-07', 'V3-HIST-09', 'V3-HIST-10', 'V3-IDEM-02', 'V3-IDEM-03'] as const),
      ],
      { requests: 1 },
    ),
    async ({ v3, claim, profile, session, prompts, depth }) => {
      if (depth !== 'full') return
      const chat = await v3.createChat()
      const turns: Turn[] = []
      let parent: Body = {}
      await sendRows(
        { claim, session, depth },
        {
          ...dimensionsOf(profile),
          parent: { given: { requirement: 'V3-GEN-11', edit: addParent } },
        },
        async (edit) => {
          const body = edit(v3.generateBody(chat, prompts.brief(session.nonce())))
          const key = session.uuid()
          const answer = await v3.generate(body, { key, role: 'act' })
          turns.push({ body, key, answer })
          return answer
        },
        (answer) => {
          const id = finalResponse(answer)?.['id']
          if (typeof id === 'string') parent = { parent_id: id }
        },
      )
      await claimTurns({ v3, claim }, chat, turns)

      function addParent(body: Body): Body {
        return { ...body, ...parent }
      }
    },
  )

  test(
    'a one-shot keeps its requirements under every condition',
    covers(['V3-ONE-01', 'V3-ONE-02', 'V3-ONE-04', 'V3-ONE-10'], { requests: 1 }),
    async ({ oneShot, claim, profile, session, prompts, depth }) => {
      const { text: _, input: __, parameter: ___, ...shared } = dimensionsOf(profile)
      const dimensions = {
        text: textsOf('V3-ONE-01', 'input'),
        input: {
          ...inputForms('V3-ONE-10'),
          content: {
            requirement: 'V3-ONE-04',
            edit: ({ input, ...rest }: Body) => ({ ...rest, content: input }),
          },
        },
        ...Object.fromEntries(
          Object.entries(shared).map(([name, values]) => [
            name,
            Object.fromEntries(
              Object.entries(values).map(([value, { edit }]) => [
                value,
                { edit, requirement: name === 'form' ? 'V3-ONE-02' : 'V3-ONE-01' } as const,
              ]),
            ),
          ]),
        ),
      } as const
      await sendRows({ claim, session, depth }, dimensions, (edit) =>
        oneShot.send(edit(oneShot.body(prompts.brief(session.nonce()))), { role: 'act' }),
      )
    },
  )
})

interface Turn {
  readonly body: Body
  readonly key: string
  readonly answer: Exchange
}

/** Repeats each accepted turn: the history holds it once, as it was sent, on pages of any size. */
async function claimTurns(
  { v3, claim }: Pick<ScenarioContext, 'v3' | 'claim'>,
  chat: Chat,
  turns: readonly Turn[],
): Promise<void> {
  const accepted = turns.filter(({ answer }) => finalResponse(answer) !== undefined)
  const last = accepted.at(-1)
  if (last === undefined) return
  const before = await v3.waitForHistory(chat, (rows) =>
    answerParts(last.answer).every((text) => contains(rows, text)),
  )
  if (!everyItemShown(before.rows)) return
  const inputs = before.rows.map((row) => normalized(inputTexts(row).join('')))
  for (const { body, answer } of accepted) {
    const sent = textOf(body['input'])
    const isShown = inputs.includes(normalized(sent))
    const what = `the history holds the input ${JSON.stringify(sent.slice(0, 200))}`
    claim('V3-HIST-07', () => expect(isShown, what).toBe(true), answer, ...before.pages)
  }
  for (const { body, key, answer } of accepted) {
    await v3.generate(body, { key, repeatOf: answer.id })
  }
  const after = await v3.historyAfterPause(chat)
  const row = accepted.some(({ body }) => body['stream'] !== true) ? 'V3-IDEM-02' : 'V3-IDEM-03'
  claim(
    row,
    () => expect(after.rows.length, 'rows of the history after repeats').toBe(before.rows.length),
    last.answer,
    ...after.pages,
  )
  for (const limit of [1, 10, 11, 50]) {
    if (limit * 40 < after.rows.length) continue
    const { rows, pages } = await v3.walk(chat, limit)
    claim(
      'V3-HIST-10',
      () => expect(rows.length, `rows at a limit of ${limit}`).toBe(after.rows.length),
      ...pages,
    )
  }
}

/** The texts of an input in any form. */
function textOf(input: unknown): string {
  if (typeof input === 'string') return input
  const items = Array.isArray(input) ? input.filter(isObject) : []
  return inputTexts({ item: items.at(-1) }).join('')
}

/** Line ends and outer space are no part of what a history has to keep. */
function normalized(text: string): string {
  return text.replaceAll('\r\n', '\n').trim()
}

function dimensionsOf(profile: TargetProfile) {
  const aliases = modelAliases(profile).map(
    (id) => [id, set('V3-MODEL-01', { model_id: id })] as const,
  )
  return {
    text: textsOf('V3-GEN-05', 'input'),
    input: inputForms('V3-GEN-06'),
    model: Object.fromEntries(aliases),
    think: {
      true: set('V3-GEN-01', { think: true }),
      false: set('V3-GEN-01', { think: false }),
    },
    rag: {
      false: set('V3-GEN-01', { rag: false }),
      agent: set('V3-GEN-01', { rag: 'agent' }),
    },
    tools: {
      include: set('V3-GEN-01', { include_tools: ['get_time'] }),
      exclude: set('V3-GEN-01', { exclude_tools: ['get_time'] }),
      'exclude two': set('V3-GEN-01', { exclude_tools: ['get_time', 'get_weather'] }),
    },
    parameter: {
      max_tokens: set('V3-GEN-09', { max_tokens: 64 }),
      temperature: set('V3-GEN-09', { temperature: 0.3 }),
      top_p: set('V3-GEN-09', { top_p: 0.5 }),
      presence_penalty: set('V3-GEN-09', { presence_penalty: 0.5 }),
    },
    form: { stream: set('V3-GEN-01', { stream: true }) },
  } as const
}
