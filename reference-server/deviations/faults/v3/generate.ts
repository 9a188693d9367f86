/** Faults of v3 generations and of one-shots: input, context, validation, status and response (sections 1, 2 and 4.3). */
import type { Generation } from '../../../model/types.ts'
import type { Patch } from '../../../services.ts'
import type { HistoryRow, Page } from '../../../store/types.ts'
import { isGiven, isText, setAt, toList, toObject } from '../../patches/json.ts'
import { onEachBlock, onReply, onSuccessBody, setFields } from '../../patches/replies.ts'
import { onRequestBody } from '../../patches/requests.ts'
import { compose, mapping, onModel, onStore, perServer, withSteps } from '../../patches/services.ts'
import { faultTable } from '../../table.ts'

const fixedId = 'resp_1'

export const generateFaults = faultTable({
  'V3-GEN-01 v3-response-accepted-for-later: The body of a non-streaming response contains only an id and the status queued.':
    onSuccessBody('v3.generate', ({ id }) => ({ id, status: 'queued' })),
  'V3-GEN-15 v3-response-id-fixed: All responses have the same id.': fixResponseId(),
  'V3-CTX-01 v3-parent-known-by-its-answer-alone: Only the answer of the parent run is passed to the model, without its input.':
    onStore('history', ({ runs }) => ({
      runs: async (chatId) => (await runs(chatId)).map((run) => ({ ...run, input: [] })),
    })),
  'V3-THINK-01 v3-think-told-in-the-answer: The reasoning is returned only at the start of the answer text.':
    onModel('native', (model, request) => withReasoningInText(model(request), false)),
  'V3-THINK-02 v3-think-repeated-in-the-answer: The answer text starts with the reasoning that was already streamed.':
    onModel('native', (model, request) => withReasoningInText(model(request), true)),
  'V3-GEN-16 v3-input-hears-the-first-part: Only the first text of a message with several text parts is passed to the model.':
    mapping<string>((firstOf) => [
      onRequestBody('v3.generate', (body) => {
        for (const { content } of toList(body['input'])) {
          const texts = toList(content).map(({ text }) => String(text ?? ''))
          firstOf.set(texts.join('\n'), texts[0] ?? '')
        }
        return body
      }),
      onModel('native', (model, request) => {
        const turns = request.turns.map((turn) => ({
          ...turn,
          text: firstOf.get(turn.text) ?? turn.text,
        }))
        return model({ ...request, turns })
      }),
    ]),
  'V3-ONE-11 one-shot-remembers: The inputs of previous one-shots are passed to the model.':
    perServer(
      (): unknown[] => [],
      (earlierInputs) =>
        onRequestBody('v3.oneShot', (body) => {
          const before = earlierInputs.map((input, at) => ({ id: `run-${at}`, input }))
          if (isText(body['input'])) earlierInputs.push(body['input'])
          return isGiven(body['runs']) ? body : { ...body, runs: before }
        }),
    ),
})

/** Applies to both forms; as parent_id, the id refers to the last run of its chat. */
function fixResponseId(): Patch {
  return compose([
    onRequestBody('v3.generate', (body) =>
      setAt(body, 'parent_id', (id: unknown) => (id === fixedId ? null : id)),
    ),
    setFields('v3.generate', { id: fixedId }),
    onEachBlock('v3.generate', (event) => [setAt(event, 'response.id', fixedId)]),
  ])
}

/** The reasoning at the start of the answer text, and in its own item as well if that is kept. */
function withReasoningInText(generation: Generation, isKept: boolean): Generation {
  const reasons = generation.steps.filter(({ type }) => type === 'reasoning')
  const fragments = reasons.flatMap((step) => step.fragments)
  return withSteps(generation, (step) => {
    if (step.type === 'reasoning') return isKept ? [step] : []
    return [
      step.type === 'message' ? { ...step, fragments: [...fragments, ...step.fragments] } : step,
    ]
  })
}

export const historyFaults = faultTable({
  'V3-HIST-01 v3-history-of-an-empty-chat-missing: The history of a chat without messages returns 404.':
    onReply('v3.history', (reply) =>
      'body' in reply && reply.status === 200 && toList(toObject(reply.body)['result']).length === 0
        ? { status: 404, body: { error: { message: 'No messages' } } }
        : reply,
    ),
  'V3-HIST-11 v3-history-cursor-never-null: The last page has a cursor that leads to an empty page with the same cursor.':
    editPages(({ rows, next }, after) => ({
      rows,
      next: next ?? Math.max(1, after + rows.length),
    })),
  'V3-HIST-11 v3-history-cursor-of-nothing: An empty history has a cursor that leads to itself.':
    editPages(({ rows, next }, after) => ({
      rows,
      next: rows.length === 0 ? Math.max(1, after) : next,
    })),
  'V3-HIST-12 v3-history-cursor-number: The cursor is a number.': setFields('v3.history', {
    'pagination.cursor': (cursor: unknown) => cursor && 50,
  }),
  'V3-HIST-13 v3-history-counts-from-the-end: The cursor is an offset from the end, so that new rows shift pages.':
    editPages((_page, left, limit, all) => {
      const after = left === 0 ? 0 : Math.max(0, all.length - left)
      const { rows } = pageOf(all, after, limit)
      return { rows, next: all.length - after - rows.length || null }
    }),
  'V3-HIST-14 v3-history-newest-first-by-offset: Rows are returned newest first with an offset as cursor, so that new rows shift pages.':
    editPages((_page, after, limit, all) => pageOf(all.toReversed(), after, limit)),
  'V3-HIST-15 v3-history-order-of-each-page: Pages with an odd limit return their rows in reverse order.':
    editPages(({ rows, next }, _after, limit) => ({
      rows: limit % 2 === 1 ? rows.toReversed() : rows,
      next,
    })),
})

/** More rows than any history of the suites has. */
const everyRow = 1_000_000

/** Edits pages, given the position that the cursor names, the limit, and all rows of the history. */
function editPages(
  edit: (
    page: Page<HistoryRow>,
    after: number,
    limit: number,
    all: readonly HistoryRow[],
  ) => Page<HistoryRow>,
): Patch {
  return onStore('history', ({ page }) => ({
    page: async (chatId, after, limit) => {
      const { rows } = await page(chatId, 0, everyRow)
      return edit(pageOf(rows, after, limit), after, limit, rows)
    },
  }))
}

function pageOf(all: readonly HistoryRow[], after: number, limit: number): Page<HistoryRow> {
  const end = after + limit
  return { rows: all.slice(after, end), next: end < all.length ? end : null }
}
