/** POST /api/openai/chat/completions (section 4.1). */

import { chatCompletionRequest } from '../../../contract/requests/index.ts'
import type { SseBlock } from '../../events/sse.ts'
import { type Route, route } from '../../http/call.ts'
import { ApiError } from '../../http/errors.ts'
import { unixSeconds } from '../../runtime/clock.ts'
import { type Decoding, tokenDelays } from '../../runtime/decoding.ts'
import { TimedValues } from '../../runtime/timed-values.ts'
import type { Services } from '../../services.ts'
import { knownModel } from '../ownership.ts'
import { completionShape } from '../shapes.ts'
import { type Completion, completionChunks, completionObject } from './completion.ts'
import { modelRequest, refuseUnsupported } from './read-request.ts'

export function chatCompletionRoutes(services: Services): readonly Route[] {
  const { clock, decode, ids, model, timing } = services
  return [
    route({
      method: 'POST',
      path: '/api/openai/chat/completions',
      summary: 'Complete a chat',
      answer: {
        status: 200,
        body: completionShape,
        stream: 'Chunks of the answer as data lines, then [DONE]',
      },
      body: chatCompletionRequest,
      handle: async ({ body, signal }) => {
        refuseUnsupported(body)
        knownModel(body.model, 'model')
        const choices = Array.from({ length: body.n ?? 1 }, (_, choice) => {
          const generation = model(modelRequest(body, choice))
          return { generation, callIds: generation.steps.map(() => ids.tagged('call')) }
        })
        const startedAt = clock.now()
        const completion: Completion = {
          id: ids.tagged('chatcmpl'),
          created: unixSeconds(startedAt),
          model: body.model,
          choices,
        }
        const generations = choices.map(({ generation }) => generation)
        const [first] = generations
        // Answers to one request are decoded together: the longest sets the time.
        const tokens = Math.max(...generations.map((generation) => generation.tokens.output))
        const decoding = decode({
          promptTokens: first?.tokens.input ?? 0,
          outputTokens: tokens,
          startedAt,
          due: timing(tokens, first?.pace),
          signal,
        })
        if (body.stream === true) {
          const includeUsage = body.stream_options?.include_usage === true
          return {
            status: 200,
            disruption: first?.disruption,
            blocks: new TimedValues(liveChunks(completion, includeUsage, decoding, signal)),
          }
        }
        await decoding.all(signal)
        const failure = first?.failure ?? null
        if (failure !== null) throw new ApiError(500, failure.message, { code: failure.code })
        return { status: 200, disruption: first?.disruption, body: completionObject(completion) }
      },
    }),
  ]
}

function* liveChunks(
  completion: Completion,
  includeUsage: boolean,
  decoding: Decoding,
  signal: AbortSignal,
): Generator<SseBlock | Promise<void>> {
  const nextFragment = tokenDelays(decoding, signal)
  for (const { body, fragment } of completionChunks(completion, includeUsage)) {
    if (fragment) {
      const wait = nextFragment()
      if (wait !== undefined) yield wait
    }
    yield { data: body }
  }
  yield { data: '[DONE]' }
}
