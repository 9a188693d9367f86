import {
  ContractViolation,
  type Delivery,
  deliveryOf,
  type Exchange,
  type Prompts,
} from '../../harness/conformance/scenario/index.ts'

/** A text of its own for each try: a target may answer a text that it knows from what it has stored. */
const subjects = ['bicycles came about', 'lighthouses came about', 'compasses came about']
const maxAsks = subjects.length

/** Number of streams with gathered text that decides. */
const enough = 2

/** Share of a long answer's time; a brief answer that takes it did not spend it on its text. */
const briefShare = 0.6

export interface Arrival {
  readonly kind: 'spread' | 'held back' | 'undecided'
  /** Observation, for a sentence. */
  readonly description: string
  readonly replies: readonly Exchange[]
}

/**
 * Observes the arrival of streamed text. One spread stream shows that text is passed on as it is made.
 * One that is not may have met a stall of the network: several count. An answer that came at once
 * may have been made at once, after a wait: it was not where a `brief` one is there far sooner.
 */
export async function arrivalOfText(
  prompts: Prompts,
  ask: (text: string) => Promise<Exchange>,
  brief: () => Promise<Exchange>,
): Promise<Arrival> {
  const replies: Exchange[] = []
  const gathered: Delivery[] = []
  let description = ''
  while (replies.length < maxAsks) {
    const reply = await ask(prompts.sentences(10, subjects[replies.length] ?? ''))
    const delivery = deliveryOf(reply)
    replies.push(reply)
    // A repeat after a failed conversation may be answered from what is stored.
    if (reply.labels.repeatOf !== undefined) continue
    if (delivery.kind === 'spread')
      return { kind: 'spread', description: delivery.description, replies: [reply] }
    if (delivery.kind !== 'undecided') gathered.push(delivery)
    description = delivery.description
  }
  const summary = `${gathered.at(-1)?.description ?? description}, and alike in ${gathered.length} of ${maxAsks} streams`
  if (gathered.length < enough) return { kind: 'undecided', description: description, replies }
  if (gathered.filter(({ kind }) => kind === 'lumps').length >= enough) {
    return { kind: 'held back', description: summary, replies }
  }
  const control = await brief()
  const maxMs = Math.max(...replies.map(({ ending }) => ending.atMs))
  if (control.ending.atMs > maxMs * briefShare) {
    const took = `a brief answer took ${Math.round(control.ending.atMs)} ms as well`
    return {
      kind: 'undecided',
      description: `${summary}, but ${took}`,
      replies: [...replies, control],
    }
  }
  return { kind: 'held back', description: summary, replies: [...replies, control] }
}

export function expectSpread(kind: Arrival['kind'], description: string): void {
  if (kind !== 'spread') throw new ContractViolation(description)
}
