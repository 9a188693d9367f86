/** Faults of what a v3 generation goes by: the chain of runs, the tool lists, think (sections 1 and 4.3). */
import { allowedTools } from '../../../model/tools/tools.ts'
import type { Generation, Step } from '../../../model/types.ts'
import { setAt } from '../../json-edit.ts'
import { v3Generate, toObject, onHistory, onModel, onRequestBody, perServer } from '../../seams.ts'
import { replaceEvents, all, editEvents, dropEvents } from '../../streams.ts'
import type { Fault } from '../../types.ts'
import { fault } from '../fault.ts'

const chain: readonly Fault[] = [
  fault(
    'v3-parent-forgotten',
    'V3-CTX-01',
    'A run is told nothing of its parent.',
    onHistory((usual) => ({
      runs: async (chatId) =>
        (await usual.runs(chatId)).map((run) => ({ ...run, input: [], output: [] })),
    })),
  ),
  fault(
    'v3-parent-known-by-its-answer-alone',
    'V3-CTX-01',
    'Of its parent, a run is told the answer, and not what was asked.',
    onHistory((usual) => ({
      runs: async (chatId) => (await usual.runs(chatId)).map((run) => ({ ...run, input: [] })),
    })),
  ),
  fault(
    'v3-fresh-chat-goes-on-from-others',
    'V3-CTX-02',
    'A fresh chat is told what was asked in all chats before.',
    perServer(() => {
      const asked: { readonly type: string }[] = []
      return onHistory((usual) => ({
        append: (chatId, run) => {
          asked.push(...run.input)
          return usual.append(chatId, run)
        },
        runs: async (chatId) => {
          const runs = await usual.runs(chatId)
          const others = { id: 'resp_others', parentId: null, createdAt: 0, output: [] }
          return runs.length > 0 ? runs : [{ ...others, input: [...asked] }]
        },
      }))
    }),
  ),
]

const tools: readonly Fault[] = [
  fault(
    'v3-both-tool-lists-accepted',
    'V3-TOOLS-01',
    'Of both tool lists at once, exclude_tools counts.',
    onRequestBody(v3Generate, (body) => (both(body) ? setAt(body, 'include_tools', undefined) : body)),
  ),
  fault(
    'v3-exclude-tools-ignored',
    'V3-TOOLS-02',
    'exclude_tools changes nothing.',
    onRequestBody(v3Generate, (body) => (both(body) ? body : setAt(body, 'exclude_tools', listsAside))),
  ),
  fault(
    'v3-include-tools-ignored',
    'V3-TOOLS-03',
    'include_tools changes nothing.',
    onRequestBody(v3Generate, (body) => (both(body) ? body : setAt(body, 'include_tools', listsAside))),
  ),
  ...(['exclude_tools', 'include_tools'] as const).flatMap((list) =>
    (['streams', 'json'] as const).map((form) =>
      fault(
        `v3-${list.replace('_', '-')}-ignored-in-${form}`,
        list === 'exclude_tools' ? 'V3-TOOLS-02' : 'V3-TOOLS-03',
        form === 'streams'
          ? `In a stream, ${list} changes nothing.`
          : `In one piece, ${list} changes nothing.`,
        onRequestBody(v3Generate, (body) =>
          both(body) || (body['stream'] === true) !== (form === 'streams')
            ? body
            : setAt(body, list, listsAside),
        ),
      ),
    ),
  ),
  fault(
    'v3-include-tools-excludes',
    'V3-TOOLS-03',
    'include_tools is read as exclude_tools.',
    onRequestBody(v3Generate, ({ include_tools, ...body }) =>
      both({ ...body, include_tools }) || !Array.isArray(include_tools)
        ? { ...body, include_tools }
        : { ...body, exclude_tools: include_tools },
    ),
  ),
  fault(
    'v3-tool-lists-shown-and-not-kept',
    ['V3-TOOLS-02', 'V3-TOOLS-03'],
    'The response lists the allowed tools, and the model uses the others, too.',
    onModel('native', (model, request) =>
      model({ ...request, tools: allowedTools({}).map(({ name }) => name) }),
    ),
  ),
]

const thinking: readonly Fault[] = [
  fault(
    'v3-think-ignored',
    'V3-THINK-01',
    'think changes nothing.',
    onRequestBody(v3Generate, (body) => setAt(body, 'think', (on: unknown) => (on === true ? false : on))),
  ),
  fault(
    'v3-think-told-in-the-answer',
    'V3-THINK-01',
    'The reasoning stands at the beginning of the answer, and nowhere else.',
    onModel('native', (model, request) => tellingItsReasons(model(request), false)),
  ),
  fault(
    'v3-think-shown-at-the-end',
    'V3-THINK-01',
    'The reasoning is in its item when that is done, and not in fragments.',
    editEvents(
      dropEvents('response.reasoning_text.delta', 'response.reasoning_text.done'),
      replaceEvents(all('response.content_part.added', 'response.content_part.done'), (event) =>
        toObject(event['part'])['type'] === 'reasoning_text' ? [] : [event],
      ),
    ),
  ),
  fault(
    'v3-think-repeated-in-the-answer',
    'V3-THINK-02',
    'The answer begins with the reasoning that was streamed ahead of it.',
    onModel('native', (model, request) => tellingItsReasons(model(request), true)),
  ),
]

export const contextFaults: readonly Fault[] = [...chain, ...tools, ...thinking]

function both(body: object): boolean {
  return (
    'include_tools' in body &&
    'exclude_tools' in body &&
    Array.isArray(body.include_tools) &&
    Array.isArray(body.exclude_tools)
  )
}

/** A wrong type is still refused. */
function listsAside(value: unknown): unknown {
  return Array.isArray(value) && value.every((name) => typeof name === 'string') ? null : value
}

function tellingItsReasons(said: Generation, keepingThem: boolean): Generation {
  const reasons = said.steps.filter(({ type }) => type === 'reasoning')
  const fragments = reasons.flatMap((step) => step.fragments)
  const steps = said.steps.flatMap((step): readonly Step[] => {
    if (step.type === 'reasoning') return keepingThem ? [step] : []
    return [
      step.type === 'message' ? { ...step, fragments: [...fragments, ...step.fragments] } : step,
    ]
  })
  const output = steps.reduce((sum, step) => sum + step.fragments.length, 0)
  const reasoning = keepingThem ? said.tokens.reasoning : 0
  return { ...said, steps, tokens: { ...said.tokens, output, reasoning } }
}
