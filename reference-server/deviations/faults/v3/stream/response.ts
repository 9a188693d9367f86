/** Faults of the response that events show, and of its items (wire contract R9, R15 to R18). */

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
    summary: 'response.completed has no response.',
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
    summary: 'The members of the final response stand beside the type, not in response.',
    breaks: ['V3-SSE-09'],
    seen: '7836246/cursor2api#116',
    patch: editEvents(
      replaceEvents(all(completed), ({ response, ...event }) => [
        { ...Object(response), ...event },
      ]),
    ),
  },
  {
    name: 'stream-completed-without-output',
    summary: 'The response of response.completed has no output.',
    breaks: ['V3-SSE-09'],
    patch: editEvents(setInEvents(all(completed), 'response.output', undefined)),
  },
  {
    name: 'stream-completed-with-an-id-alone',
    summary: 'response.completed tells the id of the response and nothing else of it.',
    breaks: ['V3-SSE-09'],
    patch: editEvents(
      setInEvents(all(completed), 'response', ({ id }: { id: string }) => ({ id })),
    ),
  },
  {
    name: 'stream-ends-incomplete',
    summary: 'Whole answers end with response.incomplete; in one piece they are completed.',
    breaks: ['V3-SSE-09'],
    patch: editEvents(endAs('incomplete', { incomplete_details: { reason: 'max_output_tokens' } })),
  },
  {
    name: 'stream-ends-failed',
    summary: 'Whole answers end with response.failed; in one piece they are completed.',
    breaks: ['V3-SSE-09'],
    patch: editEvents(endAs('failed', { error: { code: 'server_error', message: 'Lost' } })),
  },
  {
    name: 'stream-response-id-changes',
    summary: 'The final response has another id than the one that was created.',
    breaks: ['V3-SSE-10'],
    patch: editEvents(setInEvents(finalEvents, 'response.id', (old: string) => `${old}0`)),
  },
  {
    name: 'stream-response-id-unknown-at-first',
    summary: 'response.created shows an id that is used for that event alone.',
    breaks: ['V3-SSE-10'],
    patch: editEvents(setInEvents(all(created), 'response.id', 'resp_pending')),
  },
  {
    name: 'stream-created-at-moves',
    summary: 'created_at is the time of each event.',
    breaks: ['V3-SSE-11'],
    patch: editEvents(setInEvents(finalEvents, 'response.created_at', (old: number) => old + 1)),
  },
  {
    name: 'stream-model-changes',
    summary: 'The final response names the model behind the alias.',
    breaks: ['V3-SSE-11'],
    patch: editEvents(
      setInEvents(finalEvents, 'response.model', (old: string) => `${old}-2026-01-15`),
    ),
  },
  {
    name: 'stream-output-lacks-an-item',
    summary: 'The reasoning was streamed and done, and is not in the output of the final response.',
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
    summary: 'The output of the final response begins with an item that was not streamed.',
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
    summary: 'The items of the final response stand in the reverse order.',
    breaks: ['V3-SSE-19'],
    patch: editEvents(
      setInEvents(finalEvents, 'response.output', (items: readonly object[]) => items.toReversed()),
    ),
  },
  {
    name: 'stream-output-with-other-ids',
    summary: 'The items of the final response have ids of their own.',
    breaks: ['V3-SSE-19'],
    patch: editEvents(setInEvents(finalEvents, 'response.output.*.id', (old: string) => `${old}0`)),
  },
  {
    name: 'stream-call-id-changes',
    summary: 'A call has another call_id in the final response than when it was done.',
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
    summary: 'Items are done with the status in_progress.',
    breaks: ['V3-SSE-20'],
    patch: editEvents(setInEvents(all(itemDone), 'item.status', 'in_progress')),
  },
  {
    name: 'stream-output-in-progress',
    summary: 'The completed response holds an item that is in_progress.',
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
    summary: 'A response that is completed shows an error that says that there is none.',
    breaks: ['V3-SSE-21'],
    patch: editEvents(setInEvents(all(completed), 'response.error', { code: null, message: '' })),
  },
  {
    name: 'stream-completed-with-incomplete-details',
    summary: 'A response that is completed shows why it is incomplete.',
    breaks: ['V3-SSE-21'],
    patch: editEvents(
      setInEvents(all(completed), 'response.incomplete_details', { reason: 'max_output_tokens' }),
    ),
  },
  {
    name: 'stream-usage-off-by-one',
    summary: 'The total of the usage is one token more than its parts.',
    breaks: ['V3-SSE-22'],
    patch: editEvents(
      setInEvents(finalEvents, 'response.usage.total_tokens', (old: number) => old + 1),
    ),
  },
  {
    name: 'stream-usage-total-of-output',
    summary: 'The total of the usage is that of the output.',
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
    summary: 'More input tokens are cached than there are.',
    breaks: ['V3-SSE-22'],
    patch: editEvents(
      setInEvents(finalEvents, 'response.usage.input_tokens_details.cached_tokens', 100_000),
    ),
  },
  {
    name: 'stream-usage-reasoning-too-much',
    summary: 'More tokens are reasoning than were put out.',
    breaks: ['V3-SSE-22'],
    patch: editEvents(
      setInEvents(finalEvents, 'response.usage.output_tokens_details.reasoning_tokens', 100_000),
    ),
  },
  {
    name: 'stream-usage-negative',
    summary: 'A cut answer counts minus one input tokens.',
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
