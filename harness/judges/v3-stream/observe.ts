import { observeItems } from '../bodies/v3.ts'
import type { FindingCollector } from '../finding-collector.ts'
import type { EventJudge, ResponseEvent, StreamOutcome } from './event.ts'
import type { StructureJudge } from './structure.ts'

/** Events that the document names (section 6); any other is a further one. */
const named: ReadonlySet<string> = new Set([
  'response.created',
  'response.output_item.added',
  'response.output_text.delta',
  'response.reasoning_text.delta',
  'response.completed',
])

/** OPEN-05, -06, -17 and -31, as far as one stream answers them. */
export class OpenQuestionObserver implements EventJudge {
  readonly #collector: FindingCollector
  readonly #structure: StructureJudge
  readonly #request: unknown
  readonly #names = new Set<string>()

  constructor(collector: FindingCollector, structure: StructureJudge, request: unknown) {
    this.#collector = collector
    this.#structure = structure
    this.#request = request
  }

  event({ name }: ResponseEvent): void {
    if (!named.has(name)) this.#names.add(name)
  }

  again(): void {}

  end({ ended, final }: StreamOutcome): void {
    if (!ended) return
    this.#collector.observed('OPEN-17', [...this.#names].sort().join(', ') || 'none')
    const steps = this.#structure.items.flatMap(({ added, done }) =>
      added?.['status'] == null || done?.['status'] == null
        ? []
        : [`${added['status']} → ${done['status']}`],
    )
    if (steps.length > 0) this.#collector.observed('OPEN-06', [...new Set(steps)].sort().join(', '))
    if (final !== undefined) observeItems(this.#collector, final, this.#request)
  }
}
