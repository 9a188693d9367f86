/** Faults of the input, parameters and context of v3 generations (sections 1, 2.1 and 4.3). */
import { allowedTools } from '../../../../model/tools/tools.ts'
import type { Generation, ModelRequest, Step } from '../../../../model/types.ts'
import { all, dropEvents, editEvents, replaceEvents } from '../../../patches/events.ts'
import { type Json, toList, toObject } from '../../../patches/json.ts'
import { onRequestBody, rejectRequests } from '../../../patches/requests.ts'
import { v3Generate } from '../../../patches/routes.ts'
import { compose, onModel, onStore, perServer } from '../../../patches/services.ts'
import { faultTable } from '../../../table.ts'
import { generateMissingKey } from './answers.ts'

const inputContains = (text: string) => (body: Json) =>
  JSON.stringify(body['input'] ?? '').includes(text)

const thinks = ({ think }: Json) => think === true
export const generateInputFaults = faultTable({
  'V3-CTX-01': {
    'v3-parent-known-by-its-answer-alone: Only the answer of the parent run is passed to the model, without its input.':
      onStore('history', (original) => ({
        runs: async (chatId) => (await original.runs(chatId)).map((run) => ({ ...run, input: [] })),
      })),
    'v3-parent-without-its-own: Only the parent run is passed to the model, not the runs before it.':
      onStore('history', (original) => ({
        runs: async (chatId) =>
          (await original.runs(chatId)).map((run) => ({ ...run, parentId: null })),
      })),
  },
  'V3-CTX-02': {
    'v3-context-by-question: A new chat is answered from the messages of the chat in which the question was asked before.':
      perServer(() => {
        const contexts = new Map<string, ModelRequest['turns']>()
        return onModel('native', (model, request) => {
          const { turns } = request
          const question = JSON.stringify(turns.at(-1))
          if (turns.length > 2) contexts.set(question, turns)
          return model(
            turns.length === 2 ? { ...request, turns: contexts.get(question) ?? turns } : request,
          )
        })
      }),
  },
  'V3-TOOLS-02': {
    'v3-tool-lists-shown-and-not-kept: The response lists the allowed tools, but the model uses others as well.':
      {
        also: ['V3-TOOLS-03'],
        patch: onModel('native', (model, request) =>
          model({ ...request, tools: allowedTools({}).map(({ name }) => name) }),
        ),
      },
  },
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
  'V3-GEN-07': {
    'media-image-by-url-alone: An image as a data: URL is rejected.': rejectRequests(
      v3Generate,
      inputContains('data:image/'),
    ),
  },
  'V3-GEN-06': {
    'v3-items-of-users-alone: Input items with the role system or developer are rejected.':
      rejectRequests(v3Generate, ({ input }) =>
        toList(input).some(({ role }) => role === 'system' || role === 'developer'),
      ),
  },
  'V3-GEN-10': {
    'v3-max-tokens-off-by-one: An answer may exceed max_tokens by one token.': onModel(
      'native',
      (model, request) => model({ ...request, maxTokens: request.maxTokens + 1 }),
    ),
  },
  'V3-GEN-16': {
    'v3-input-hears-the-last-item: All items of an input array are stored, but only the last one is passed to the model.':
      onModel('native', (model, request) => {
        const overheard = (at: number) =>
          request.turns[at]?.role === 'user' && request.turns[at + 1]?.role === 'user'
        return model({ ...request, turns: request.turns.filter((_turn, at) => !overheard(at)) })
      }),
    'v3-input-hears-the-first-part: Only the first text of a message with several text parts is passed to the model.':
      perServer(() => {
        const firstOf = new Map<string, string>()
        return compose([
          onRequestBody(v3Generate, (body) => {
            for (const { content } of toList(body['input'])) {
              const texts = toList(content).map(({ text }) => String(text ?? ''))
              firstOf.set(texts.join('\n'), texts[0] ?? '')
            }
            return body
          }),
          onModel('native', (model, request) => {
            const firstText = ({ text }: { readonly text: string }) => firstOf.get(text) ?? text
            return model({
              ...request,
              turns: request.turns.map((turn) => ({ ...turn, text: firstText(turn) })),
            })
          }),
        ])
      }),
  },
  'V3-GEN-08': {
    'media-video-refused: Input with a video is rejected.': rejectRequests(
      v3Generate,
      inputContains('input_video'),
    ),
  },
  'V3-IDEM-01': {
    'v3-thinking-without-key: A generation with think: true is accepted without Idempotency-Key.':
      generateMissingKey(thinks),
  },
})
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
