/** Faults of the response object in events, and of its items (wire contract R9, R15 to R18). */
import {
  all,
  completed,
  created,
  isThinking,
  itemAdded,
  replaceEvents,
  setInEvents,
  terminalEvents,
  when,
} from '../../../patches/events.ts'
import { eventFaultTable } from '../../../table.ts'

const finalEvents = all(...terminalEvents)
export const streamResponseFaults = eventFaultTable({
  'V3-SSE-09': {
    'stream-completed-without-response: response.completed omits response.': setInEvents(
      completed,
      { response: undefined },
    ),
    // 7836246/cursor2api#116
    'stream-response-not-nested: The members of the final response are next to type instead of in response.':
      replaceEvents(completed, ({ response, ...event }) => [{ ...Object(response), ...event }]),
    'stream-ends-incomplete: The stream of a complete answer ends with response.incomplete.': endAs(
      'incomplete',
      { incomplete_details: { reason: 'max_output_tokens' } },
    ),
  },
  'V3-SSE-10': {
    'stream-response-id-changes: The id of the final response differs from that in response.created.':
      setInEvents(finalEvents, { 'response.id': (old: string) => `${old}0` }),
  },
  'V3-SSE-11': {
    'stream-created-at-moves: The created_at of the final response differs from that in earlier events.':
      setInEvents(finalEvents, { 'response.created_at': (old: number) => old + 1 }),
    'stream-model-changes: The model of the final response differs from that in earlier events.':
      setInEvents(finalEvents, { 'response.model': (old: string) => `${old}-2026-01-15` }),
  },
  'V3-SSE-19': {
    'stream-output-lacks-an-item: The output of the final response omits the streamed reasoning item.':
      when(
        isThinking,
        setInEvents(finalEvents, {
          'response.output': (items: readonly object[]) => items.slice(1),
        }),
      ),
    'stream-output-has-an-item-more: The output of the final response contains an item that was not streamed.':
      setInEvents(finalEvents, {
        'response.output': (items: readonly object[]) => [
          { id: 'rs_0', type: 'reasoning', status: 'completed', summary: [] },
          ...items,
        ],
      }),
    'stream-output-with-other-ids: The items of the final response have other ids than in earlier events.':
      setInEvents(finalEvents, { 'response.output.*.id': (old: string) => `${old}0` }),
    'stream-call-id-changes: The call_id of a function call in the final response differs from the streamed one.':
      setInEvents(finalEvents, {
        'response.output.*': (item: { readonly call_id?: string }) =>
          item.call_id === undefined ? item : { ...item, call_id: `${item.call_id}0` },
      }),
  },
  'V3-SSE-20': {
    'stream-item-added-completed: Items are added with the status completed.': setInEvents(
      itemAdded,
      { 'item.status': 'completed' },
    ),
  },
  'V3-SSE-21': {
    'stream-completed-in-progress: The response of response.completed has the status in_progress.':
      setInEvents(completed, { 'response.status': 'in_progress' }),
    'stream-created-completed: The response of response.created has the status completed.':
      setInEvents(created, { 'response.status': 'completed' }),
    'stream-incomplete-completed: The response of response.incomplete has the status completed.':
      setInEvents('response.incomplete', { 'response.status': 'completed' }),
    'stream-completed-with-an-error: The response object of response.completed has an error with a null code.':
      setInEvents(completed, { 'response.error': { code: null, message: '' } }),
  },
  'V3-SSE-22': {
    'stream-usage-off-by-one: The total_tokens of the final response are too high by one.':
      setInEvents(finalEvents, { 'response.usage.total_tokens': (old: number) => old + 1 }),
    'stream-usage-cached-too-much: The cached_tokens of the final response exceed input_tokens.':
      setInEvents(finalEvents, { 'response.usage.input_tokens_details.cached_tokens': 100_000 }),
  },
})
function endAs(status: string, members: object) {
  return replaceEvents(completed, (event) => [
    {
      ...event,
      type: `response.${status}`,
      response: { ...Object(event['response']), ...members, status },
    },
  ])
}
