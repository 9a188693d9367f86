/** Faults of the response object in events, and of its items (wire contract R9, R15 to R18). */

import {
  completed,
  created,
  itemAdded,
  itemDone,
  terminalEvents,
} from '../../../patches/event-names.ts'
import {
  all,
  editEvents,
  isThinking,
  replaceEvents,
  setInEvents,
  isCompleted as unCut,
  when,
} from '../../../patches/events.ts'
import type { Fault } from '../../../types.ts'

const finalEvents = all(...terminalEvents)

export const streamResponseFaults: readonly Fault[] = [
  {
    name: 'stream-completed-without-response',
    summary: 'response.completed omits response.',
    breaks: ['V3-SSE-09'],
    patch: editEvents(setInEvents(all(completed), 'response', undefined)),
  },
  {
    name: 'stream-completed-with-null',
    summary: 'The response of response.completed is null.',
    breaks: ['V3-SSE-09'],
    patch: editEvents(setInEvents(all(completed), 'response', null)),
  },
  {
    name: 'stream-response-not-nested',
    summary: 'The members of the final response are next to type instead of in response.',
    breaks: ['V3-SSE-09'],
    precedent: '7836246/cursor2api#116',
    patch: editEvents(
      replaceEvents(all(completed), ({ response, ...event }) => [
        { ...Object(response), ...event },
      ]),
    ),
  },
  {
    name: 'stream-completed-without-output',
    summary: 'The response object of response.completed omits output.',
    breaks: ['V3-SSE-09'],
    patch: editEvents(setInEvents(all(completed), 'response.output', undefined)),
  },
  {
    name: 'stream-completed-with-an-id-alone',
    summary: 'The response object of response.completed contains only id.',
    breaks: ['V3-SSE-09'],
    patch: editEvents(
      setInEvents(all(completed), 'response', ({ id }: { id: string }) => ({ id })),
    ),
  },
  {
    name: 'stream-ends-incomplete',
    summary: 'The stream of a complete answer ends with response.incomplete.',
    breaks: ['V3-SSE-09'],
    patch: editEvents(endAs('incomplete', { incomplete_details: { reason: 'max_output_tokens' } })),
  },
  {
    name: 'stream-ends-failed',
    summary: 'The stream of a complete answer ends with response.failed.',
    breaks: ['V3-SSE-09'],
    patch: editEvents(endAs('failed', { error: { code: 'server_error', message: 'Lost' } })),
  },
  {
    name: 'stream-response-id-changes',
    summary: 'The id of the final response differs from that in response.created.',
    breaks: ['V3-SSE-10'],
    patch: editEvents(setInEvents(finalEvents, 'response.id', (old: string) => `${old}0`)),
  },
  {
    name: 'stream-response-id-unknown-at-first',
    summary: 'The response id in response.created differs from that in all later events.',
    breaks: ['V3-SSE-10'],
    patch: editEvents(setInEvents(all(created), 'response.id', 'resp_pending')),
  },
  {
    name: 'stream-created-at-moves',
    summary: 'The created_at of the final response differs from that in earlier events.',
    breaks: ['V3-SSE-11'],
    patch: editEvents(setInEvents(finalEvents, 'response.created_at', (old: number) => old + 1)),
  },
  {
    name: 'stream-model-changes',
    summary: 'The model of the final response differs from that in earlier events.',
    breaks: ['V3-SSE-11'],
    patch: editEvents(
      setInEvents(finalEvents, 'response.model', (old: string) => `${old}-2026-01-15`),
    ),
  },
  {
    name: 'stream-output-lacks-an-item',
    summary: 'The output of the final response omits the streamed reasoning item.',
    breaks: ['V3-SSE-19'],
    patch: editEvents(
      when(
        isThinking,
        setInEvents(finalEvents, 'response.output', (items: readonly object[]) => items.slice(1)),
      ),
    ),
  },
  {
    name: 'stream-output-has-an-item-more',
    summary: 'The output of the final response contains an item that was not streamed.',
    breaks: ['V3-SSE-19'],
    patch: editEvents(
      setInEvents(finalEvents, 'response.output', (items: readonly object[]) => [
        { id: 'rs_0', type: 'reasoning', status: 'completed', summary: [] },
        ...items,
      ]),
    ),
  },
  {
    name: 'stream-output-reversed',
    summary: 'The output of the final response is in reverse order.',
    breaks: ['V3-SSE-19'],
    patch: editEvents(
      setInEvents(finalEvents, 'response.output', (items: readonly object[]) => items.toReversed()),
    ),
  },
  {
    name: 'stream-output-with-other-ids',
    summary: 'The items of the final response have other ids than in earlier events.',
    breaks: ['V3-SSE-19'],
    patch: editEvents(setInEvents(finalEvents, 'response.output.*.id', (old: string) => `${old}0`)),
  },
  {
    name: 'stream-call-id-changes',
    summary: 'The call_id of a function call in the final response differs from the streamed one.',
    breaks: ['V3-SSE-19'],
    patch: editEvents(
      setInEvents(finalEvents, 'response.output.*', (item: { readonly call_id?: string }) =>
        item.call_id === undefined ? item : { ...item, call_id: `${item.call_id}0` },
      ),
    ),
  },
  {
    name: 'stream-item-added-completed',
    summary: 'Items are added with the status completed.',
    breaks: ['V3-SSE-20'],
    patch: editEvents(setInEvents(all(itemAdded), 'item.status', 'completed')),
  },
  {
    name: 'stream-item-done-in-progress',
    summary: 'Items in response.output_item.done have the status in_progress.',
    breaks: ['V3-SSE-20'],
    patch: editEvents(setInEvents(all(itemDone), 'item.status', 'in_progress')),
  },
  {
    name: 'stream-output-in-progress',
    summary: 'Items in response.completed have the status in_progress.',
    breaks: ['V3-SSE-20'],
    patch: editEvents(setInEvents(all(completed), 'response.output.*.status', 'in_progress')),
  },
  {
    name: 'stream-completed-in-progress',
    summary: 'The response of response.completed has the status in_progress.',
    breaks: ['V3-SSE-21'],
    patch: editEvents(setInEvents(all(completed), 'response.status', 'in_progress')),
  },
  {
    name: 'stream-created-completed',
    summary: 'The response of response.created has the status completed.',
    breaks: ['V3-SSE-21'],
    patch: editEvents(setInEvents(all(created), 'response.status', 'completed')),
  },
  {
    name: 'stream-incomplete-completed',
    summary: 'The response of response.incomplete has the status completed.',
    breaks: ['V3-SSE-21'],
    patch: editEvents(setInEvents(all('response.incomplete'), 'response.status', 'completed')),
  },
  {
    name: 'stream-completed-with-an-error',
    summary: 'The response object of response.completed has an error with a null code.',
    breaks: ['V3-SSE-21'],
    patch: editEvents(setInEvents(all(completed), 'response.error', { code: null, message: '' })),
  },
  {
    name: 'stream-completed-with-incomplete-details',
    summary: 'The response object of response.completed has incomplete_details.',
    breaks: ['V3-SSE-21'],
    patch: editEvents(
      setInEvents(all(completed), 'response.incomplete_details', { reason: 'max_output_tokens' }),
    ),
  },
  {
    name: 'stream-usage-off-by-one',
    summary: 'The total_tokens of the final response are too high by one.',
    breaks: ['V3-SSE-22'],
    patch: editEvents(
      setInEvents(finalEvents, 'response.usage.total_tokens', (old: number) => old + 1),
    ),
  },
  {
    name: 'stream-usage-total-of-output',
    summary: 'The total_tokens of the final response equal output_tokens.',
    breaks: ['V3-SSE-22'],
    patch: editEvents(
      setInEvents(finalEvents, 'response.usage', (usage: { readonly output_tokens: number }) => ({
        ...usage,
        total_tokens: usage.output_tokens,
      })),
    ),
  },
  {
    name: 'stream-usage-cached-too-much',
    summary: 'The cached_tokens of the final response exceed input_tokens.',
    breaks: ['V3-SSE-22'],
    patch: editEvents(
      setInEvents(finalEvents, 'response.usage.input_tokens_details.cached_tokens', 100_000),
    ),
  },
  {
    name: 'stream-usage-reasoning-too-much',
    summary: 'The reasoning_tokens of the final response exceed output_tokens.',
    breaks: ['V3-SSE-22'],
    patch: editEvents(
      setInEvents(finalEvents, 'response.usage.output_tokens_details.reasoning_tokens', 100_000),
    ),
  },
  {
    name: 'stream-usage-negative',
    summary: 'The input_tokens of a truncated answer are -1.',
    breaks: ['V3-SSE-22'],
    patch: editEvents(
      when((run) => !unCut(run), setInEvents(finalEvents, 'response.usage.input_tokens', -1)),
    ),
  },
]

function endAs(status: string, members: object) {
  return replaceEvents(all(completed), (event) => [
    {
      ...event,
      type: `response.${status}`,
      response: { ...Object(event['response']), ...members, status },
    },
  ])
}
