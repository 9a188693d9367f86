/** Names of the events that faults change. */

export const itemAdded = 'response.output_item.added'
export const itemDone = 'response.output_item.done'
export const partAdded = 'response.content_part.added'
export const partDone = 'response.content_part.done'
export const textDelta = 'response.output_text.delta'
export const textDone = 'response.output_text.done'
export const reasoningDelta = 'response.reasoning_text.delta'
export const reasoningDone = 'response.reasoning_text.done'
export const created = 'response.created'
export const completed = 'response.completed'

/** Events that show the final response. */
export const terminalEvents: readonly string[] = [
  completed,
  'response.incomplete',
  'response.failed',
]
