/** Output items of the Responses format, as a run's steps become them. */
import type { RunStep } from './run.ts'

type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

/** Any row of a history: an item as the caller sent it, or as the model made it. */
export type RunItem = { readonly type: string } & Readonly<Record<string, unknown>>

/** The item as it ends: in `output_item.done`, in the final response and in the history alike. */
export function outputItem(step: RunStep): RunItem {
  const status: ItemStatus = step.complete ? 'completed' : 'incomplete'
  return itemWith(step, status, stepText(step), parts(step), searchResults(step))
}

/** The item as it is announced: what is known beforehand, and zero values for the rest. */
export function openingItem(step: RunStep): RunItem {
  return itemWith(step, 'in_progress', '', [], null)
}

/** The content part of a spoken step; with no text, as it is announced. */
export function contentPart(step: RunStep, text: string): RunItem {
  switch (step.type) {
    case 'reasoning':
      return { type: 'reasoning_text', text }
    case 'refusal':
      return { type: 'refusal', refusal: text }
    default:
      return { type: 'output_text', text, annotations: annotations(step, text), logprobs: [] }
  }
}

/** Annotations that lie within the text: of an answer that was cut, some may be lost. */
export function annotations(step: RunStep, text: string): readonly RunItem[] {
  if (step.type !== 'message') return []
  return step.citations
    .filter(({ index }) => index <= text.length)
    .map(({ fileId, filename, index }) => ({
      type: 'file_citation',
      file_id: fileId,
      filename,
      index,
    }))
}

export function stepText(step: RunStep): string {
  return step.fragments.join('')
}

function parts(step: RunStep): readonly RunItem[] {
  return [contentPart(step, stepText(step))]
}

/** Clients read five members of each, and want the attributes to be an object. */
function searchResults(step: RunStep): readonly object[] | null {
  if (step.type !== 'file_search') return null
  return step.results.map(({ fileId, filename, score, text }) => ({
    file_id: fileId,
    filename,
    score,
    text,
    attributes: {},
  }))
}

function itemWith(
  step: RunStep,
  status: ItemStatus,
  text: string,
  content: readonly RunItem[],
  results: readonly object[] | null,
): RunItem {
  const id = step.itemId
  switch (step.type) {
    case 'reasoning':
      return { id, type: 'reasoning', status, summary: [], content }
    case 'function_call':
      return {
        id,
        type: 'function_call',
        status,
        call_id: step.callId,
        name: step.name,
        arguments: text,
      }
    case 'file_search':
      return { id, type: 'file_search_call', status, queries: step.queries, results }
    default:
      return { id, type: 'message', status, role: 'assistant', content }
  }
}
