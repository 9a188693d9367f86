import type { RequirementId } from '../../../contract/index.ts'
import type { JsonObject } from '../../../contract/json.ts'
import { knownEvents } from '../../../contract/wire.ts'
import { PartialJudge } from '../finding-collector.ts'
import type { StreamContext } from '../streams.ts'

/** A decoded event of the stream. */
export interface ResponseEvent {
  /** Index among the dispatched events. */
  readonly index: number
  /** Name of the event, by its `event:` line or, failing that, by the type in its data. */
  readonly name: string
  readonly json: JsonObject
}

/** Final state of a stream, for findings that only its end allows. */
export interface StreamOutcome {
  /** The response of the terminal event, if it shows one. */
  readonly final: JsonObject | undefined
  /** Index of the terminal event. */
  readonly finalEvent: number | undefined
  readonly terminal: string | undefined
  /** The body came to its regular end after a terminal event. */
  readonly ended: boolean
  /** Items of the final response, if it must hold all streamed content. */
  readonly finals: readonly JsonObject[]
  /** The streamed items, in the order of their output_index. */
  readonly items: readonly ItemTrace[]
  /** The stream has one of the added and done events. */
  readonly speaksFullGrammar: boolean
  /** All reasoning text, joined. */
  readonly reasoning: string
  /** A delta was not a string, so the text is unknown. */
  readonly spoiled: boolean
  readonly context: StreamContext
}

/**
 * Judge of one aspect of the stream, with its own requirements. `end` is not called if an event could not be
 * read: the events after it prove nothing.
 */
export abstract class EventJudge extends PartialJudge {
  abstract event(event: ResponseEvent): void
  /**
   * Repeats the last event, a delta, with another text and another sequence_number. Must have the same
   * findings as `event`.
   */
  again(_text: string, _sequenceNumber: number | undefined, _index: number): void {}
  end(_: StreamOutcome): void {}
}

/** A violation that counts only if the stream uses the full grammar, or only if it does not. */
export interface Complaint {
  readonly requirement: RequirementId
  readonly why: string
  readonly event: number
  readonly only?: 'full' | 'minimal'
  /** The output_index before which one seems to be missing; it is not, if its item was merely not added. */
  readonly gapBefore?: number
}

/** Tests if the response of the terminal event must hold all streamed content. */
export function holdsAll({ terminal }: Pick<StreamOutcome, 'terminal'>): boolean {
  return terminal === 'response.completed' || terminal === 'response.incomplete'
}

/** Content of one output item in the stream. */
export class ItemTrace {
  readonly index: number
  id: string | undefined
  type: string | undefined
  /** The item of output_item.added; undefined without that event. */
  added: JsonObject | undefined
  /** The item of output_item.done. */
  done: JsonObject | undefined
  /** Progress of a tool call: rank of its last progress event. */
  progress = -1
  readonly slots: SlotTrace[] = []

  constructor(index: number) {
    this.index = index
  }
}

/** Content of one part of an item in the stream: a text, a refusal, a summary, the arguments. */
export class SlotTrace {
  readonly place: Place
  /** The index in its events. */
  readonly index: number
  /** Position among the parts of the item, independent of the index in its events. */
  readonly ordinal: number
  /** Type of the part, if it is known. */
  type: string | undefined
  /** True if its part was added. */
  added = false
  readonly deltas: string[] = []
  /** A delta was not a string: the text is unknown. */
  spoiled = false
  /** An `end text` event came, with this value. */
  textEnded = false
  text: string | undefined
  /** The part of content_part.done or a similar event. */
  part: JsonObject | undefined
  readonly annotations: unknown[] = []

  constructor(place: Place, index: number, ordinal: number, type: string | undefined) {
    this.place = place
    this.index = index
    this.ordinal = ordinal
    this.type = type
  }
}

/** Place of a fragment within its item. */
export type Place = 'content' | 'summary' | 'arguments'

/** Effect of an event on the item or the part that it names. */
type Act =
  | 'add item'
  | 'end item'
  | 'add part'
  | 'end part'
  | 'delta'
  | 'end text'
  | 'annotate'
  | 'progress'

export interface EventKind {
  readonly act: Act
  readonly indexes: readonly IndexName[]
  /** Undefined for events about an item as a whole. */
  readonly place?: Place
  /** Type of the part that its text belongs to. */
  readonly part?: string
  /** Type of the item that it belongs to; undefined if several can have it. */
  readonly item?: string
  /** Member that holds the whole text, for `end text`. */
  readonly text?: string
}

type IndexName = 'output_index' | 'content_index' | 'summary_index' | 'annotation_index'

/** Kind of an event of the Responses contract; undefined for events without an item. */
export function kindOf(name: string): EventKind | undefined {
  return kinds.get(name) ?? (isToolProgress(name) ? toolProgress : undefined)
}

const onItem = ['output_index'] as const
const inContent = { place: 'content', indexes: ['output_index', 'content_index'] } as const
const inSummary = { place: 'summary', indexes: ['output_index', 'summary_index'] } as const
const outputText = { ...inContent, part: 'output_text', item: 'message' } as const
const refusal = { ...inContent, part: 'refusal', item: 'message' } as const
const reasoning = { ...inContent, part: 'reasoning_text', item: 'reasoning' } as const
const summary = { ...inSummary, part: 'summary_text', item: 'reasoning' } as const
const callArguments = { place: 'arguments', indexes: onItem, item: 'function_call' } as const
const fileSearch = { act: 'progress', indexes: onItem, item: 'file_search_call' } as const
const toolProgress: EventKind = { act: 'progress', indexes: onItem }

const kinds: ReadonlyMap<string, EventKind> = new Map<string, EventKind>([
  ['response.output_item.added', { act: 'add item', indexes: onItem }],
  ['response.output_item.done', { act: 'end item', indexes: onItem }],
  ['response.content_part.added', { ...inContent, act: 'add part' }],
  ['response.content_part.done', { ...inContent, act: 'end part' }],
  ['response.output_text.delta', { ...outputText, act: 'delta' }],
  ['response.output_text.done', { ...outputText, act: 'end text', text: 'text' }],
  [
    'response.output_text.annotation.added',
    { ...outputText, act: 'annotate', indexes: [...inContent.indexes, 'annotation_index'] },
  ],
  ['response.refusal.delta', { ...refusal, act: 'delta' }],
  ['response.refusal.done', { ...refusal, act: 'end text', text: 'refusal' }],
  ['response.reasoning_text.delta', { ...reasoning, act: 'delta' }],
  ['response.reasoning_text.done', { ...reasoning, act: 'end text', text: 'text' }],
  ['response.reasoning_summary_part.added', { ...summary, act: 'add part' }],
  ['response.reasoning_summary_part.done', { ...summary, act: 'end part' }],
  ['response.reasoning_summary_text.delta', { ...summary, act: 'delta' }],
  ['response.reasoning_summary_text.done', { ...summary, act: 'end text', text: 'text' }],
  ['response.function_call_arguments.delta', { ...callArguments, act: 'delta' }],
  [
    'response.function_call_arguments.done',
    { ...callArguments, act: 'end text', text: 'arguments' },
  ],
  ['response.file_search_call.in_progress', fileSearch],
  ['response.file_search_call.searching', fileSearch],
  ['response.file_search_call.completed', fileSearch],
])

/** Events of tools that the document does not name: known to belong to one item, but not examined. */
function isToolProgress(name: string): boolean {
  return (
    knownEvents.has(name) && /^response\.\w+_(call|tools)(_code|_input|_arguments)?\./.test(name)
  )
}
