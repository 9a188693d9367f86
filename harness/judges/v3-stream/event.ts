import type { RequirementId } from '../../../contract/index.ts'
import type { JsonObject } from '../../../contract/json.ts'

/** A decoded event of the stream. */
export interface ResponseEvent {
  /** Index among the dispatched events. */
  readonly index: number
  readonly atMs: number
  /** Name of the event, by its `event:` line or, failing that, by the type in its data. */
  readonly name: string
  readonly json: JsonObject
}

/** Final state of a stream, for findings that only its end allows. */
export interface StreamOutcome {
  /** The response of the terminal event, where it shows one. */
  readonly final: JsonObject | undefined
  /** Index of the terminal event. */
  readonly finalEvent: number | undefined
  readonly terminal: string | undefined
  /** The body came to its regular end after a terminal event. */
  readonly ended: boolean
}

/**
 * One idea of the stream, with the rows it owns. `end` is not called where an event could not be
 * read: what came after it proves nothing.
 */
export interface EventJudge {
  event(event: ResponseEvent): void
  /**
   * The last event once more, a delta, with another text and another sequence_number. It must say
   * what `event` would.
   */
  again(text: string, sequenceNumber: number | undefined, index: number): void
  end(outcome: StreamOutcome): void
}

/** A breach that only counts if the stream speaks the full grammar, or only if it does not. */
export interface Complaint {
  readonly row: RequirementId
  readonly why: string
  readonly event: number
  readonly only?: 'full' | 'minimal'
  /** The output_index before which one seems to be missing; it is not, if its item just was not added. */
  readonly gapBefore?: number
}

/** Tests if the response of the terminal event must hold all streamed content. */
export function holdsAll({ terminal }: StreamOutcome): boolean {
  return terminal === 'response.completed' || terminal === 'response.incomplete'
}
