/** Faults of the context of v3 generations: the chain of runs, the tool lists, think (sections 1 and 4.3). */

import { allowedTools } from '../../../../model/tools/tools.ts'
import type { Generation, Step } from '../../../../model/types.ts'
import { all, dropEvents, editEvents, replaceEvents } from '../../../patches/events.ts'
import { toObject } from '../../../patches/json.ts'
import { onRequestBody } from '../../../patches/requests.ts'
import { v3Generate } from '../../../patches/routes.ts'
import { onModel, onStore, perServer } from '../../../patches/services.ts'
import { faultTable } from '../../../table.ts'
import type { Fault } from '../../../types.ts'

const chainFaults = faultTable({
  'V3-CTX-01': {
    'v3-parent-known-by-its-answer-alone: Only the answer of the parent run is passed to the model, without its input.':
      onStore('history', (original) => ({
        runs: async (chatId) => (await original.runs(chatId)).map((run) => ({ ...run, input: [] })),
      })),
    'v3-parent-known-if-it-is-the-first-run: Only the content of the first run of a chat is passed to the model.':
      onStore('history', (original) => ({
        runs: async (chatId) =>
          (await original.runs(chatId)).map((run, at) =>
            at === 0 ? run : { ...run, input: [], output: [] },
          ),
      })),
  },
  'V3-CTX-02': {
    'v3-fresh-chat-goes-on-from-others: In a new chat, the inputs of all earlier chats are passed to the model.':
      perServer(() => {
        const items: { readonly type: string }[] = []
        return onStore('history', (original) => ({
          append: (chatId, run) => {
            items.push(...run.input)
            return original.append(chatId, run)
          },
          runs: async (chatId) => {
            const runs = await original.runs(chatId)
            const others = { id: 'resp_others', parentId: null, createdAt: 0, output: [] }
            return runs.length > 0 ? runs : [{ ...others, input: [...items] }]
          },
        }))
      }),
  },
})

const toolFaults: readonly Fault[] = [
  ...faultTable({
    'V3-TOOLS-02': {
      'v3-exclude-tools-ignored: exclude_tools is ignored.':
        'v3.generate: exclude_tools is ignored',
      'v3-exclude-tools-ignored-in-streams: In a stream, exclude_tools is ignored.':
        'v3.generate: exclude_tools is ignored (stream: true)',
      'v3-exclude-tools-ignored-in-json: In a non-streaming response, exclude_tools is ignored.':
        'v3.generate: exclude_tools is ignored (stream: not true)',
      'v3-tool-lists-shown-and-not-kept: The response lists the allowed tools, but the model uses others as well.':
        {
          also: ['V3-TOOLS-03'],
          patch: onModel('native', (model, request) =>
            model({ ...request, tools: allowedTools({}).map(({ name }) => name) }),
          ),
        },
    },
    'V3-TOOLS-03': {
      'v3-include-tools-ignored-in-streams: In a stream, include_tools is ignored.':
        'v3.generate: include_tools is ignored (stream: true)',
      'v3-include-tools-ignored-in-json: In a non-streaming response, include_tools is ignored.':
        'v3.generate: include_tools is ignored (stream: not true)',
      'v3-include-tools-excludes: include_tools is treated as exclude_tools.': onRequestBody(
        v3Generate,
        ({ include_tools, ...body }) =>
          hasBothLists({ ...body, include_tools }) || !Array.isArray(include_tools)
            ? { ...body, include_tools }
            : { ...body, exclude_tools: include_tools },
      ),
    },
  }),
]

const thinkingFaults = faultTable({
  'V3-THINK-01': {
    'v3-think-told-in-the-answer: The reasoning is returned only at the start of the answer text.':
      onModel('native', (model, request) => withReasoningInText(model(request), false)),
    'v3-think-shown-at-the-end: The reasoning is returned in its completed item, without response.reasoning_text.delta.':
      editEvents(
        dropEvents('response.reasoning_text.delta', 'response.reasoning_text.done'),
        replaceEvents(all('response.content_part.added', 'response.content_part.done'), (event) =>
          toObject(event['part'])['type'] === 'reasoning_text' ? [] : [event],
        ),
      ),
  },
  'V3-THINK-02': {
    'v3-think-repeated-in-the-answer: The answer text starts with the reasoning that was already streamed.':
      onModel('native', (model, request) => withReasoningInText(model(request), true)),
  },
})

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
