import type { FindingCollector } from '../finding-collector.ts'
import { show } from '../json.ts'
import type { Chunk, ChunkJudge } from './part.ts'

const members = ['id', 'created', 'model'] as const

/** OAI-STREAM-05 (C1): all chunks are of one completion, and each says what it is. */
export class EnvelopeJudge implements ChunkJudge {
  readonly #collector: FindingCollector
  #first: Chunk | undefined

  constructor(collector: FindingCollector) {
    this.#collector = collector
  }

  chunk({ json, event }: Chunk): void {
    const kind = json['object']
    if (kind !== 'chat.completion.chunk') {
      this.#collector.broken(
        'OAI-STREAM-05',
        `object is ${show(kind)}, not chat.completion.chunk.`,
        event,
      )
    }
    if (this.#first === undefined) {
      this.#first = { json, event, atMs: 0, choices: [] }
      return
    }
    const before = this.#first.json
    const changed = members.find((member) => json[member] !== before[member])
    if (changed === undefined) {
      this.#collector.held('OAI-STREAM-05', 'id, created and model stay the same.')
    } else {
      const why = `${changed} is ${show(json[changed])}; in the first chunk it is ${show(before[changed])}.`
      this.#collector.broken('OAI-STREAM-05', why, event)
    }
  }

  end(): void {}
}
