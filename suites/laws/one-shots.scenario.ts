import {
  coversAtDepth,
  describe,
  expect,
  expectAccepted,
  expectResponse,
  fill,
  isDeclined,
  isObject,
  plain,
  type Row,
  type Scenario,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { createDeliveryLaw } from '../support/delivery.ts'
import { inputTexts } from '../support/history.ts'
import { otherModels } from '../support/mistakes.ts'
import { buildRecall, createRecallLaw, knows, watchChats } from '../support/recall.ts'
import { claimSteady } from '../support/refusals.ts'
import { guessedRuns } from '../support/test-data.ts'
import { textEdits, wholeTexts } from '../support/text-edits.ts'
import { callerOf, inputEdits, optionalField, ragEdits, toolEdits } from './conditions/edits.ts'
import type { Body, Edits, Law, Trial } from './conditions/plan.ts'
import { requirementsOfLaws, tryConditions } from './conditions/trials.ts'
import { claimSameTypes } from './same-types.ts'

const laws: readonly Law<Run>[] = [
  { requirements: ['V3-ONE-01', 'V3-ONE-03', 'V3-ONE-02'], law: isAnswered },
  { requirements: ['V3-GEN-16', 'V3-ONE-04', 'V3-ONE-05'], law: isRemembered },
  { requirements: ['V3-ONE-11'], law: hasNoForeignFacts },
  { requirements: ['V3-SSE-30'], law: (run, trial) => run.isDelivered(trial) },
  { requirements: ['V3-ONE-06', 'V3-ONE-08'], law: hasItsAssistant },
]

/** Sections 4.3 and 4.4: the laws of one-shots hold under all conditions. */
describe('v3: laws of one-shots', () => {
  test(
    'a one-shot MUST keep its requirements under every condition',
    coversAtDepth(
      requirementsOfLaws('v3.oneShot', laws, ['V3-GEN-03', 'V3-ONE-09']),
      (rows) => ({ requests: 4 * rows + 60, generations: rows + 3, chats: 1 }),
      { again: 12 },
    ),
    async ({ oneShot, claim, session, prompts, scenario }) => {
      const run = startRun(scenario)
      const storage = await watchChats(scenario)
      const trials = await tryConditions(run, {
        operation: 'v3.oneShot',
        steady: 'V3-ONE-01',
        base: (row) => bodyFor(run, row),
        edits: editsOf(run),
        send: run.send,
        laws: [...laws, { law: storage.readList }],
        shownByLaws: ['assistant_id', 'runs'],
        guesses: ['caller', ...(run.areRunsGuessed ? ['runs'] : [])],
        always: [
          { input: 'content', model: 'alias' },
          { input: 'content', form: 'stream' },
          { runs: 'one', characters: 'beyond ASCII' },
          { runs: 'several', form: 'stream', rag: 'false' },
          { input: 'several items', form: 'stream', model: 'alias' },
        ],
        telling: { ...wholeTexts, max_tokens: [plain] },
      })
      claimSteady(session, 'v3.oneShot', 'V3-ONE-01')
      claimSameTypes(run, trials)
      await storage.claimNotStored(trials, run.facts)
      if (run.areRunsGuessed && !trials.some(({ row }) => hasRuns(row)))
        session.markUndecided('unproven', ['V3-ONE-05'], ofGuess('rejected'))
      if (trials.length > 0) return
      // The key is required if a refused one-shot is accepted with one.
      const body = oneShot.body(prompts.brief())
      const refused = await oneShot.send(body, { role: 'act' })
      const headers = { 'idempotency-key': session.uuid() }
      const withKey = await oneShot.send(body, { role: 'control', headers })
      const requirement = isDeclined(withKey) ? 'V3-ONE-01' : 'V3-ONE-03'
      claim(requirement, () => expectAccepted(refused, 'a one-shot'), refused, withKey)
    },
  )
})

function hasItsAssistant({ claim }: Run, { body, answer }: Trial): void {
  const { assistant_id: id } = body
  if (id === undefined) return
  claim(id === null ? 'V3-ONE-06' : 'V3-ONE-08', () => expectAccepted(answer), answer)
}

function isAnswered({ claim }: Run, { body, answer }: Trial): void {
  if (body['stream'] !== true) {
    // No request of this scenario has an Idempotency-Key.
    claim('V3-ONE-03', () => expectAccepted(answer, 'a one-shot without a key'), answer)
    claim('V3-ONE-01', () => expectResponse(answer, 'a one-shot'), answer)
    return
  }
  const names = answer.events.map((event) => event.name)
  const endings = ['response.completed', 'response.incomplete', 'response.failed', 'error']
  const hasEnd = endings.some((end) => names.includes(end))
  const isWholeStream = () => {
    expect(names, 'events').toContain('response.created')
    expect(hasEnd, 'the stream has its end').toBe(true)
  }
  claim('V3-ONE-02', isWholeStream, answer)
}

async function isRemembered(run: Run, { row, body, answer }: Trial): Promise<void> {
  const { fact, tell, ask } = run.recall
  const texts = textsOf(body)
  if (!texts.at(-1)?.includes(ask) || row['max_tokens'] !== plain) return
  // An assistant that the profile describes may answer otherwise.
  if (row['assistant_id'] === 'null') return
  const isContent = row['input'] === 'content'
  // What an assistant or a search adds may distract a weak model from content that it has read.
  if (isContent && (row['assistant_id'] !== plain || row['rag'] !== plain)) return
  if (isContent && !hasRuns(row)) run.isContentRead = knows(answer, fact)
  // A question in content that is not read at all shows nothing of runs.
  if (isContent && hasRuns(row) && !run.isContentRead) return
  const isKnown = knows(answer, fact)
  if (hasRuns(row) && isKnown) run.areRunsRead = true
  if (hasRuns(row) && run.areRunsGuessed && !run.areRunsRead)
    return run.session.markUndecided('inconclusive', ['V3-ONE-05'], ofGuess('misread'))
  const ofInput = isContent ? 'V3-ONE-04' : 'V3-GEN-16'
  await run.knowsFact({
    requirement: hasRuns(row) ? 'V3-ONE-05' : ofInput,
    answer,
    fact,
    conversation: hasRuns(row) ? [tell, ...texts] : texts,
    again: () => run.send(body, row),
    alone: (input) => run.send({ ...body, input, content: undefined, runs: undefined }, row),
    what: 'the answer to a question about what the request says',
  })
}

function hasNoForeignFacts({ claim, facts, recall }: Run, { answer }: Trial): void {
  const foreign = facts.filter((fact) => fact !== recall.fact && knows(answer, fact))
  claim('V3-ONE-11', () => expect(foreign, 'facts of other requests').toEqual([]), answer)
}

type Run = ReturnType<typeof startRun>

function startRun(scenario: Scenario) {
  const { oneShot, profile } = scenario
  const send = (body: Body, row: Row) =>
    oneShot.send(body, { role: 'act', ...callerOf(profile, row) })
  const facts: string[] = []
  return {
    ...scenario,
    send,
    knowsFact: createRecallLaw(scenario),
    isDelivered: createDeliveryLaw(scenario, 'V3-SSE-30', { body: oneShot.body, send }),
    facts,
    /** The fact of the latest request. */
    recall: buildRecall(profile, ''),
    /** True if the profile does not say the shape of `runs`. */
    areRunsGuessed: profile.requests.runs === undefined,
    /** True if a fact of `runs` was known once. */
    areRunsRead: false,
    /** False if a question in `content` alone was not answered. */
    isContentRead: true,
  }
}

/** The request before its edits, with a new fact. */
function bodyFor(run: Run, row: Row): Body {
  const { oneShot, prompts, profile, session } = run
  run.recall = buildRecall(profile, session.nonce())
  const { fact, tell, ask } = run.recall
  run.facts.push(fact)
  if (row['max_tokens'] !== plain) return oneShot.body(prompts.longAnswer())
  const isTold = !hasRuns(row) && !row['input']?.startsWith('several')
  return oneShot.body(isTold ? `${tell} ${ask}` : ask)
}

function editsOf(run: Run): Edits<'v3.oneShot'> {
  const { profile } = run
  const { assistants, requests } = profile
  const { assistant: described } = requests
  return {
    ...textEdits('input', run),
    model: otherModels(profile, 'model_id'),
    input: {
      ...inputEdits(() => run.recall.tell, run),
      content: ({ input, ...rest }) => ({ ...rest, content: input }),
    },
    rag: ragEdits(profile),
    tools: toolEdits(profile),
    runs: {
      none: { runs: [] },
      one: setRuns(run, (runs) => runs.filter(statesFact).slice(0, 1)),
      several: setRuns(run, (runs) => runs),
    },
    assistant_id: {
      UUID: optionalField('assistant_id', assistants?.withoutKnowledge),
      // A search before the answer needs an assistant.
      null:
        described &&
        ((body) =>
          body['rag'] === true ? body : { ...body, assistant_id: null, assistant: described }),
    },
    form: { stream: { stream: true } },
  }
}

/** Sets runs, one of which states the fact; without the profile, their shape is a guess. */
function setRuns(run: Run, part: (runs: readonly unknown[]) => readonly unknown[]) {
  const { profile, session } = run
  const chosen = () => part(profile.requests.runs ?? guessedRuns(profile, session))
  if (!chosen().some(statesFact)) return undefined
  return (body: Body) => ({ ...body, runs: fill(chosen(), { nonce: run.recall.fact }) })
}

const statesFact = (run: unknown) => JSON.stringify(run).includes('{nonce}')

const ofGuess = (fate: string) =>
  `the guessed shape of runs was ${fate}: set requests.runs in the target profile`

const hasRuns = (row: Row) => row['runs'] !== plain && row['runs'] !== 'none'

/** The text of each message of a one-shot. */
function textsOf({ input, content }: Body): string[] {
  if (!Array.isArray(input)) return [String(input ?? content)]
  return input.filter(isObject).map((item) => inputTexts({ item }).join(' '))
}
