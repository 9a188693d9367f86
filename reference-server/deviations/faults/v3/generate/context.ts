/** Faults of what a v3 generation goes by: the chain of runs, the tool lists, think (sections 1 and 4.3). */

import { ApiError } from '../../../../http/errors.ts'
import { allowedTools } from '../../../../model/tools/tools.ts'
import type { Generation, Step } from '../../../../model/types.ts'
import type { Patch } from '../../../../services.ts'
import { all, dropEvents, editEvents, replaceEvents } from '../../../patches/events.ts'
import { isPresent, type Json, setAt, toObject } from '../../../patches/json.ts'
import { onRequest, onRequestBody } from '../../../patches/requests.ts'
import { v3Generate } from '../../../patches/routes.ts'
import { compose, onModel, onStore, perServer } from '../../../patches/services.ts'
import type { Fault } from '../../../types.ts'

const chainFaults: readonly Fault[] = [
  {
    name: 'v3-parent-forgotten',
    summary: 'A run is told nothing of its parent.',
    breaks: ['V3-CTX-01'],
    patch: onStore('history', (original) => ({
      runs: async (chatId) =>
        (await original.runs(chatId)).map((run) => ({ ...run, input: [], output: [] })),
    })),
  },
  {
    name: 'v3-parent-known-by-its-answer-alone',
    summary: 'Of its parent, a run is told the answer, and not what was asked.',
    breaks: ['V3-CTX-01'],
    patch: onStore('history', (original) => ({
      runs: async (chatId) => (await original.runs(chatId)).map((run) => ({ ...run, input: [] })),
    })),
  },
  {
    name: 'v3-fresh-chat-goes-on-from-others',
    summary: 'A fresh chat is told what was asked in all chats before.',
    breaks: ['V3-CTX-02'],
    patch: perServer(() => {
      const asked: { readonly type: string }[] = []
      return onStore('history', (original) => ({
        append: (chatId, run) => {
          asked.push(...run.input)
          return original.append(chatId, run)
        },
        runs: async (chatId) => {
          const runs = await original.runs(chatId)
          const others = { id: 'resp_others', parentId: null, createdAt: 0, output: [] }
          return runs.length > 0 ? runs : [{ ...others, input: [...asked] }]
        },
      }))
    }),
  },
  {
    name: 'v3-second-turn-wants-a-parent',
    summary: 'In a chat that has a run, a generation without parent_id is refused.',
    breaks: ['V3-GEN-11'],
    patch: rejectSecondTurns(({ parent_id: parent }) => !isPresent(parent)),
  },
]

const toolFaults: readonly Fault[] = [
  {
    name: 'v3-both-tool-lists-accepted',
    summary: 'Of both tool lists at once, exclude_tools counts.',
    breaks: ['V3-TOOLS-01'],
    patch: onRequestBody(v3Generate, (body) =>
      hasBothLists(body) ? setAt(body, 'include_tools', undefined) : body,
    ),
  },
  {
    name: 'v3-exclude-tools-ignored',
    summary: 'exclude_tools changes nothing.',
    breaks: ['V3-TOOLS-02'],
    patch: onRequestBody(v3Generate, (body) =>
      hasBothLists(body) ? body : setAt(body, 'exclude_tools', ignoreValidList),
    ),
  },
  {
    name: 'v3-include-tools-ignored',
    summary: 'include_tools changes nothing.',
    breaks: ['V3-TOOLS-03'],
    patch: onRequestBody(v3Generate, (body) =>
      hasBothLists(body) ? body : setAt(body, 'include_tools', ignoreValidList),
    ),
  },
  ...(['exclude_tools', 'include_tools'] as const).flatMap((list) =>
    (['streams', 'json'] as const).map(
      (form): Fault => ({
        name: `v3-${list.replace('_', '-')}-ignored-in-${form}`,
        summary:
          form === 'streams'
            ? `In a stream, ${list} changes nothing.`
            : `In one piece, ${list} changes nothing.`,
        breaks: [list === 'exclude_tools' ? 'V3-TOOLS-02' : 'V3-TOOLS-03'],
        patch: onRequestBody(v3Generate, (body) =>
          hasBothLists(body) || (body['stream'] === true) !== (form === 'streams')
            ? body
            : setAt(body, list, ignoreValidList),
        ),
      }),
    ),
  ),
  {
    name: 'v3-include-tools-excludes',
    summary: 'include_tools is read as exclude_tools.',
    breaks: ['V3-TOOLS-03'],
    patch: onRequestBody(v3Generate, ({ include_tools, ...body }) =>
      hasBothLists({ ...body, include_tools }) || !Array.isArray(include_tools)
        ? { ...body, include_tools }
        : { ...body, exclude_tools: include_tools },
    ),
  },
  {
    name: 'v3-tool-lists-shown-and-not-kept',
    summary: 'The response lists the allowed tools, and the model uses the others, too.',
    breaks: ['V3-TOOLS-02', 'V3-TOOLS-03'],
    patch: onModel('native', (model, request) =>
      model({ ...request, tools: allowedTools({}).map(({ name }) => name) }),
    ),
  },
]

const thinkingFaults: readonly Fault[] = [
  {
    name: 'v3-think-ignored',
    summary: 'think changes nothing.',
    breaks: ['V3-THINK-01'],
    patch: onRequestBody(v3Generate, (body) =>
      setAt(body, 'think', (on: unknown) => (on === true ? false : on)),
    ),
  },
  {
    name: 'v3-think-told-in-the-answer',
    summary: 'The reasoning stands at the beginning of the answer, and nowhere else.',
    breaks: ['V3-THINK-01'],
    patch: onModel('native', (model, request) => withReasoningInText(model(request), false)),
  },
  {
    name: 'v3-think-shown-at-the-end',
    summary: 'The reasoning is in its item when that is done, and not in fragments.',
    breaks: ['V3-THINK-01'],
    patch: editEvents(
      dropEvents('response.reasoning_text.delta', 'response.reasoning_text.done'),
      replaceEvents(all('response.content_part.added', 'response.content_part.done'), (event) =>
        toObject(event['part'])['type'] === 'reasoning_text' ? [] : [event],
      ),
    ),
  },
  {
    name: 'v3-think-repeated-in-the-answer',
    summary: 'The answer begins with the reasoning that was streamed ahead of it.',
    breaks: ['V3-THINK-02'],
    patch: onModel('native', (model, request) => withReasoningInText(model(request), true)),
  },
]

export const generateContextFaults: readonly Fault[] = [
  ...chainFaults,
  ...toolFaults,
  ...thinkingFaults,
]

function hasBothLists(body: object): boolean {
  return (
    'include_tools' in body &&
    'exclude_tools' in body &&
    Array.isArray(body.include_tools) &&
    Array.isArray(body.exclude_tools)
  )
}

/** A wrong type is still refused. */
function ignoreValidList(value: unknown): unknown {
  return Array.isArray(value) && value.every((name) => typeof name === 'string') ? null : value
}

function withReasoningInText(generation: Generation, keepingThem: boolean): Generation {
  const reasons = generation.steps.filter(({ type }) => type === 'reasoning')
  const fragments = reasons.flatMap((step) => step.fragments)
  const steps = generation.steps.flatMap((step): readonly Step[] => {
    if (step.type === 'reasoning') return keepingThem ? [step] : []
    return [
      step.type === 'message' ? { ...step, fragments: [...fragments, ...step.fragments] } : step,
    ]
  })
  const output = steps.reduce((sum, step) => sum + step.fragments.length, 0)
  const reasoning = keepingThem ? generation.tokens.reasoning : 0
  return { ...generation, steps, tokens: { ...generation.tokens, output, reasoning } }
}

/** A key that was used before is of a repeat, and no second turn. */
function rejectSecondTurns(when: (body: Json) => boolean): Patch {
  return perServer(() => {
    const answered = new Set<unknown>()
    const keys = new Set<unknown>()
    return compose([
      onStore('history', (original) => ({
        append: async (chatId, run) => {
          answered.add(chatId)
          await original.append(chatId, run)
        },
      })),
      onRequest(v3Generate, (call) => {
        const body = toObject(call.body)
        const key = call.headers['idempotency-key']
        if (answered.has(body['chat_id']) && when(body) && !keys.has(key)) {
          throw new ApiError(400, 'parent_id is required')
        }
        keys.add(key)
        return call
      }),
    ])
  })
}
