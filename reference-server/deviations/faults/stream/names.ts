/** Names of the events that faults are about. */

export const added = 'response.output_item.added'
export const done = 'response.output_item.done'
export const partAdded = 'response.content_part.added'
export const partDone = 'response.content_part.done'
export const delta = 'response.output_text.delta'
export const textDone = 'response.output_text.done'
export const thought = 'response.reasoning_text.delta'
export const thoughtDone = 'response.reasoning_text.done'
export const created = 'response.created'
export const completed = 'response.completed'

/** Events that show the final response. */
export const ends: readonly string[] = [completed, 'response.incomplete', 'response.failed']
