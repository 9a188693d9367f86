import { asArray } from '../../contract/index.ts'
import {
  coversAtDepth,
  describe,
  describeRow,
  type Exchange,
  expect,
  finalResponse,
  inputRows,
  inputText,
  isDeclined,
  isObject,
  plain,
  type Scenario,
  succeeded,
  test,
} from '../../harness/conformance/scenario/index.ts'
import { type Caller, secondCaller } from '../support/credentials.ts'
import { askUntil, buildRecall } from '../support/recall.ts'
import { wholeTexts } from '../support/text-edits.ts'
import { doBefore, sendTurns } from './conditions/edits.ts'
import type { Law, Trial } from './conditions/plan.ts'
import { changesAt, claimRunBefore } from './conditions/run-before.ts'
import { requirementsOfLaws, tryConditions } from './conditions/trials.ts'
import { claimNext, claimPages, claimTurns } from './turn-history.ts'
import {
  editsOf,
  hasNoForeignFacts,
  isRemembered,
  linkNextTurn,
  type Run,
  startRun,
  textOf,
} from './turn-laws.ts'

const laws: readonly Law<Run>[] = [
  { requirements: ['V3-CTX-01', 'V3-GEN-16'], law: isRemembered },
  { requirements: ['V3-TOOLS-02', 'V3-TOOLS-03'], law: usesAllowedTools },
  { requirements: ['V3-CTX-02'], law: hasNoForeignFacts },
  { requirements: ['V3-THINK-01'], law: streamsReasoning },
  { requirements: ['V3-SSE-30'], law: (run, trial) => run.isDelivered(trial) },
]

const requirements = requirementsOfLaws('v3.generate', laws, [
  ...(['V3-GEN-03', 'V3-GEN-10', 'V3-GEN-14', 'V3-GEN-15'] as const),
  ...(['V3-HIST-01', 'V3-HIST-05', 'V3-HIST-06', 'V3-HIST-07', 'V3-HIST-08'] as const),
  ...(['V3-HIST-10', 'V3-HIST-11', 'V3-HIST-12', 'V3-HIST-16'] as const),
  ...(['V3-IDEM-01', 'V3-IDEM-02', 'V3-IDEM-03', 'V3-IDEM-04'] as const),
  ...(['V3-IDEM-08', 'V3-CHAT-08'] as const),
])

/** Sections 2.6, 4.3 and 4.4: the laws of turns in a chat hold under all conditions. */
describe('v3: laws of turns', () => {
  const cost = (rows: number, depth: Scenario['depth']) => {
    const besides = depth === 'full' ? rows : 1
    // Pages of ten rows each.
    const pages = depth === 'full' ? 3 * rows : 0
    return {
      requests: 4 * rows + 4 * besides + (depth === 'full' ? 210 : 110) + pages,
      generations: rows + besides + (depth === 'full' ? 40 : 20),
      chats: 6 + (depth === 'full' ? 3 + Math.ceil(rows / 3) : 0),
      uploads: 2,
    }
  }

  test(
    'a turn MUST keep its requirements under every condition',
    coversAtDepth(requirements, cost, { isLong: true }),
    (scenario) => claimTurnLaws(scenario, {}),
  )

  test(
    'a turn of another caller MUST keep its requirements',
    coversAtDepth(requirements, (_, depth) =>
      depth === 'full' ? { ...cost(rowsOfSecond, 'quick'), requests: 260 } : { requests: 1 },
    ),
    async ({ v3OfSecond: v3, chats, profile, depth, scenario }) => {
      if (v3 === undefined || depth !== 'full') return
      const caller = secondCaller(profile) ?? {}
      // A second key is a guess until it was accepted once.
      if (!succeeded(await chats.list({ limit: 1 }, { role: 'probe', ...caller }))) return
      const coverage = {
        ...scenario.coverage,
        depth: 'quick',
        rows: rowsOfSecond,
        add() {},
      } as const
      await claimTurnLaws({ ...scenario, v3, coverage }, caller)
    },
  )
})

/** Each value of a condition once. */
const rowsOfSecond = 14

async function claimTurnLaws(scenario: Scenario, caller: Caller): Promise<void> {
  const run = await startRun(scenario)
  const { chat, v3, claim, profile, session, prompts } = run
  const trials = await tryConditions(run, {
    operation: 'v3.generate',
    accepts: 'V3-GEN-01',
    costly: ['overlap'],
    telling: { ...wholeTexts, max_tokens: [plain], parent: ['given'] },
    ...sendTurns(run, caller),
    async base(row) {
      const after = row['after'] === 'refusal' ? undefined : row['after']
      const name = await doBefore(scenario, chat.id, after, caller)
      if (name) run.texts.push(name)
      return v3.generateBody(chat, textOf(run, row))
    },
    edits: editsOf(run),
    always: [
      { parent: 'given', 'outer space': 'given', model: 'vision' },
      { parent: 'given', think: 'true', rag: 'agent' },
      { parent: 'given', form: 'stream', model: 'alias', think: 'true' },
      { input: 'several items', overlap: 'two at once' },
      { input: 'several items', max_tokens: '96', model: 'alias' },
      { input: 'item of a developer', text: 'of digits', model: 'alias', rag: 'agent' },
      { input: 'several parts', form: 'stream', parent: 'given' },
      { tools: 'exclude_tools given', input: 'items', rag: 'false' },
      { tools: 'others included', form: 'stream', after: 'refusal' },
      { tools: 'several excluded', form: 'stream', model: 'alias' },
    ],
    laws: [...laws, { law: linkNextTurn }],
  })
  const query = { limit: 10 }
  await claimNext(run, chat, await v3.history(chat, query), query)
  await claimTurns(run, chat, [...trials, ...run.besides], run.sentKeys)
  await claimPages(scenario, chat, caller)
  const isFirst = !('authorization' in caller)
  for (const [at, changes] of (isFirst ? changesAt[scenario.depth] : [[]]).entries()) {
    const other = at === 0 ? undefined : await v3.createChat()
    await claimRunBefore(run, buildRecall(profile, session.nonce()), changes, other)
  }
  for (const { body, answer } of trials.slice(-1)) {
    // A turn without its key is refused, also one with a parent, and leaves no step.
    const nonce = session.nonce()
    const turn = { ...body, parent_id: run.parent, input: prompts.brief(nonce) }
    const keyless = await v3.generate(turn, { key: null, role: 'negative' })
    const what = 'a later turn without Idempotency-Key is refused'
    claim('V3-IDEM-01', () => expect(isDeclined(keyless), what).toBe(true), keyless, answer)
    if (!isDeclined(keyless)) return
    const { rows, pages } = await v3.historyAfterPause(chat)
    const steps = expect(inputRows(rows, nonce), 'steps of the refused request')
    claim('V3-GEN-14', () => steps.toEqual([]), keyless, ...pages)
  }
}

/**
 * A stream that lacks reasoning is asked for again, with a calculation: a model need not reason about each question.
 * The model for images is judged once it has reasoned.
 */
async function streamsReasoning(run: Run, { row, body, answer }: Trial): Promise<void> {
  const { claim, profile, prompts, thinkers } = run
  if (row['think'] !== 'true' || row['form'] === plain || row['max_tokens'] !== plain) return
  if (profile.capabilities.reasoning !== true || row['input'] === 'image') return
  // A repeat after a transport failure may be shorter.
  if (answer.labels.repeatOf !== undefined) return
  if (hasReasoning(answer)) thinkers.add(body['model_id'])
  if (row['model'] === 'vision' && !thinkers.has(body['model_id'])) return
  const question = prompts.calculation()
  const input = Array.isArray(body['input']) ? [inputText(question)] : question
  const ask = () => run.send({ ...body, input })
  const last = hasReasoning(answer) ? answer : await askUntil(hasReasoning, ask, 2)
  const what = `the stream shows reasoning (${describeRow(row)})`
  claim('V3-THINK-01', () => expect(hasReasoning(last), what).toBe(true), last, answer)
}

function hasReasoning({ events }: Exchange): boolean {
  return events.some(({ name }) => name === 'response.reasoning_text.delta')
}

async function usesAllowedTools(run: Run, { body, answer }: Trial): Promise<void> {
  const { claim, v3, session, profile } = run
  const { include_tools: included, exclude_tools: excluded } = body
  const { name, ask } = profile.tools ?? {}
  if (!(Array.isArray(included) || Array.isArray(excluded)) || !name || !ask) return
  run.usesTool ??= callsOf(
    await v3.generateOk(v3.generateBody(await v3.createChat(), ask)),
  ).includes(name)
  if (!run.usesTool) {
    const weak = `the model did not use ${name} when asked to`
    return session.markUndecided('inconclusive', ['V3-TOOLS-02', 'V3-TOOLS-03'], weak)
  }
  const calls = callsOf(answer)
  if (Array.isArray(excluded)) {
    const used = calls.filter((name) => excluded.includes(name))
    claim('V3-TOOLS-02', () => expect(used, 'excluded tools that were used').toEqual([]), answer)
  }
  if (Array.isArray(included)) {
    const others = calls.filter((name) => !included.includes(name))
    claim('V3-TOOLS-03', () => expect(others, 'tools outside the list').toEqual([]), answer)
  }
}

/** Names of the functions, and of the tools of MCP servers, that a response calls. */
function callsOf(answer: Exchange): unknown[] {
  const items = asArray(finalResponse(answer)?.['output']).filter(isObject)
  return items.filter(({ type }) => calls.includes(type)).map(({ name }) => name)
}

const calls: readonly unknown[] = ['function_call', 'mcp_call', 'custom_tool_call']
