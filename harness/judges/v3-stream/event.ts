import type { JsonObject } from '../../../contract/json.ts'
import { knownEvents } from '../../../contract/wire.ts'
import type { StreamContext } from '../streams.ts'

/** A decoded event of the stream. */
export interface ResponseEvent {
  /** Index among the dispatched events. */
  readonly index: number
  /** Name of the event, by its `event:` line or, failing that, by the type in its data. */
  readonly name: string
  readonly json: JsonObject
  /** The `delta`, if it is a string, and those of the events after it that repeat this one with another text. */
  readonly texts: string[]
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
  readonly context: StreamContext
}

/** Judge of one aspect of the stream, with its own requirements. */
export interface EventJudge {
  event(event: ResponseEvent): void
  /** End of a stream whose events could all be read: those after a lost one prove nothing. */
  end?(outcome: StreamOutcome): void
}

/** Tests if the response of the terminal event must hold all streamed content. */
export function holdsAll({ terminal }: Pick<StreamOutcome, 'terminal'>): boolean {
  return terminal === 'response.completed' || terminal === 'response.incomplete'
}

/** Content of one output item in the stream. */
export interface ItemTrace {
  readonly index: number
  id: string | undefined
  type: string | undefined
  /** The item of output_item.added; undefined without that event. */
  added: JsonObject | undefined
  /** The item of output_item.done. */
  done: JsonObject | undefined
  /** Progress of a tool call: rank of its last progress event. */
  progress: number
  readonly slots: SlotTrace[]
}

/** Content of one part of an item in the stream: a text, a refusal, a summary, the arguments. */
export interface SlotTrace {
  readonly place: Place
  /** The index in its events. */
  readonly index: number
  /** Position among the parts of the item, independent of the index in its events. */
  readonly ordinal: number
  type: string | undefined
  /** True if its part was added. */
  added: boolean
  /** Texts of its deltas, and of those that repeat them. */
  readonly deltas: (readonly string[])[]
  /** A delta was not a string: the text is unknown. */
  spoiled: boolean
  /** An `end text` event came, with this value. */
  textEnded: boolean
  text: string | undefined
  /** The part of content_part.done or a similar event. */
  part: JsonObject | undefined
  readonly annotations: JsonObject[]
}

/** The streamed text of a part. */
export function streamedText({ deltas }: Pick<SlotTrace, 'deltas'>): string {
  return deltas.flat().join('')
}

/** Place of a fragment within its item. */
export type Place = 'content' | 'summary' | 'arguments'

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
  /** Effect of the event on the item or the part that it names. */
  readonly act: Act
  /** Undefined for events about an item as a whole. */
  readonly place?: Place
  /** Type of the part that its text belongs to. */
  readonly part?: string
  /** Type of the item that it belongs to; undefined if several can have it. */
  readonly item?: string
  /** Member that contains the whole text, for `end text`. */
  readonly text?: string
}

const partActs = { added: 'add part', done: 'end part' } as const
const textActs = { delta: 'delta', done: 'end text' } as const
const inContent = { place: 'content', text: 'text' } as const
const outputText = { ...inContent, part: 'output_text', item: 'message' } as const
const summary = { place: 'summary', part: 'summary_text', item: 'reasoning', text: 'text' } as const
const call = { place: 'arguments', item: 'function_call', text: 'arguments' } as const

const kinds: ReadonlyMap<string, EventKind> = new Map([
  ...family('output_item', { added: 'add item', done: 'end item' }),
  ...family('content_part', partActs, { place: 'content' }),
  ...family('output_text', { ...textActs, 'annotation.added': 'annotate' }, outputText),
  ...family('refusal', textActs, { ...outputText, part: 'refusal', text: 'refusal' }),
  ...family('reasoning_text', textActs, {
    ...inContent,
    part: 'reasoning_text',
    item: 'reasoning',
  }),
  ...family('reasoning_summary_part', partActs, summary),
  ...family('reasoning_summary_text', textActs, summary),
  ...family('function_call_arguments', textActs, call),
])

function family(
  name: string,
  acts: Readonly<Record<string, Act>>,
  kind: Omit<EventKind, 'act'> = {},
): (readonly [string, EventKind])[] {
  return Object.entries(acts).map(([step, act]) => [`response.${name}.${step}`, { ...kind, act }])
}

/** Kind of an event of the Responses contract; undefined for events without an item. */
export function kindOf(name: string): EventKind | undefined {
  const kind = kinds.get(name)
  if (kind !== undefined || !knownEvents.has(name)) return kind
  // Events of tools that the document does not name: known to belong to one item, but not examined.
  if (!/^response\.\w+_(call|tools)(_code|_input|_arguments)?\./.test(name)) return undefined
  const isSearch = name.startsWith('response.file_search_call.')
  return { act: 'progress', ...(isSearch && { item: 'file_search_call' }) }
}

/** Names of the indexes that an event shows. */
export function indexesOf({ act, place }: EventKind): readonly string[] {
  const ofPart = place === 'content' || place === 'summary' ? [`${place}_index`] : []
  return ['output_index', ...ofPart, ...(act === 'annotate' ? ['annotation_index'] : [])]
}
