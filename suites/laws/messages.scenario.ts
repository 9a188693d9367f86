import { asObject } from '../../contract/index.ts'
import {
  bodyJson,
  coversAtDepth,
  describe,
  type Exchange,
  expect,
  expectAccepted,
  isDeclined,
  isObject,
  type Scenario,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { secondCaller, v2ChatOf } from '../support/credentials.ts'
import { each, otherModels } from '../support/mistakes.ts'
import { attachedFile, claimTimeOfNow } from '../support/test-data.ts'
import { textEdits, withCombinedTexts } from '../support/text-edits.ts'
import { optionalField, sendWithoutContent } from './conditions/edits.ts'
import type { Body, Edits, Law, Trial } from './conditions/plan.ts'
import { requirementsOfLaws, tryConditions } from './conditions/trials.ts'

const laws: readonly Law<Run>[] = [
  { requirements: ['V2-MSG-02'], law: hasNewId },
  { requirements: ['V2-MSG-04'], law: namesItsModel },
  { requirements: ['V2-MSG-07'], law: hasTimeOfNow },
]

/** Section 4.2: the laws of stored messages hold under all conditions. */
describe('v2: laws of messages', () => {
  test(
    'a message MUST be stored as it was sent under every condition',
    coversAtDepth(
      requirementsOfLaws('v2.message', laws, ['V2-MSG-03', 'V2-MSG-05', 'V2-MSG-06']),
      (rows) => ({ requests: 4 * rows + 13, uploads: 2 }),
    ),
    async ({ v2, claim, session, prompts, coverage, scenario }) => {
      const chat = await v2.chat()
      const files = [await attachedFile(scenario), await attachedFile(scenario)]
      const send = (body: Body) => v2.message(body, { role: 'act' })
      const first = await send(v2.messageBody(chat, prompts.brief()))
      claim('V2-MSG-01', () => expectAccepted(first, 'a message'), first)
      const parent = v2.storedId(first)
      const next = await send(v2.messageBody(chat, prompts.brief()))
      claim('V2-MSG-01', () => expectAccepted(next, 'a second message of a chat'), next)
      const run: Run = { ...scenario, ids: new Set([parent]), bodies: new Set() }
      await tryConditions(run, {
        operation: 'v2.message',
        accepts: 'V2-MSG-01',
        // No row costs a generation.
        rows: 2 * coverage.rows,
        async base({ after }) {
          if (after === 'refusal') await sendWithoutContent(scenario, chat)
          return v2.messageBody(chat, prompts.brief(session.nonce()))
        },
        edits: editsOf(run, parent, files),
        send,
        // Only the message directly before must be accepted as parent: see the laws of replies.
        guesses: ['parent'],
        laws,
      })
      await storeAsSecond(run)
    },
  )
})

/** Messages of another caller keep these laws as well, as far as they are accepted: its key may have fewer rights. */
async function storeAsSecond(run: Run): Promise<void> {
  const { v2, profile, session, prompts } = run
  const caller = secondCaller(profile)
  const chat = await v2ChatOf(run, caller)
  if (chat === undefined || caller === undefined) return
  let last: Body = {}
  const [alias = profile.models.main] = profile.models.aliases
  for (const more of [{}, { model_id: alias, think: true }, { rag: true }]) {
    const content = withCombinedTexts(prompts.brief(session.nonce()), run)
    const body = v2.messageBody(chat, content, { ...more, ...last })
    const answer = await v2.message(body, { role: 'probe', ...caller })
    if (isDeclined(answer)) continue
    for (const { law } of laws) await law(run, { row: {}, body, answer, edit: (one) => one })
    last = { parent_id: memberOf(answer, 'id') }
  }
}

interface Run extends Scenario {
  /** Ids of all stored messages. */
  readonly ids: Set<unknown>
  readonly bodies: Set<string>
}

function hasNewId({ claim, ids, bodies }: Run, { body, answer }: Trial): void {
  // A server may answer what is sent again with the message that it has.
  const sent = JSON.stringify(body)
  if (bodies.has(sent)) return
  bodies.add(sent)
  const id = memberOf(answer, 'id')
  const isOld = expect(ids.has(id), 'the id is that of another message')
  claim('V2-MSG-02', () => isOld.toBe(false), answer)
  ids.add(id)
}

/** Compares models, not their ids: the document leaves open which id of a model an answer has. */
function namesItsModel({ claim, profile: { models } }: Run, { body, answer }: Trial): void {
  const ofMain: readonly unknown[] = [models.main, ...models.aliases]
  if (ofMain.includes(models.vision)) return
  const others = body['model_id'] === models.vision ? ofMain : [models.vision]
  const isOther = others.includes(memberOf(answer, 'model_id'))
  const what = 'model_id names another model'
  claim('V2-MSG-04', () => expect(isOther, what).toBe(false), answer)
}

function hasTimeOfNow({ claim }: Run, { answer }: Trial): void {
  claimTimeOfNow(claim, 'V2-MSG-07', answer, Date.parse(String(memberOf(answer, 'created_at'))))
}

function editsOf(run: Run, parent: string, files: readonly unknown[]): Edits<'v2.message'> {
  const { profile } = run
  const { assistants } = profile
  const canAttach = files.every(isObject)
  return {
    ...textEdits('content', run),
    model: otherModels(profile, 'model_id'),
    parent: { given: { parent_id: parent } },
    rag: each('rag', true, false, 'agent'),
    attachments: {
      none: { attachments: [] },
      one: canAttach ? { attachments: files.slice(0, 1) } : undefined,
      several: canAttach ? { attachments: files } : undefined,
    },
    assistant_id: {
      UUID: optionalField('assistant_id', assistants?.withoutKnowledge),
      instructions: optionalField('assistant_id', assistants?.instructions),
    },
  }
}

function memberOf(answer: Exchange, name: string): unknown {
  return asObject(bodyJson(answer))?.[name]
}
