/** The events of a run as they become due, and again for whoever repeats the request. */
import { pacer } from '../../events/pacer.ts'
import type { ResponseRun } from '../../events/run.ts'
import { endsRun, isFragment, type ResponseEvent } from '../../events/sequence.ts'
import type { SseBlock } from '../../events/sse.ts'
import type { Services } from '../../services.ts'

/**
 * At the pace of the run; its end is announced once the run is stored, so that whoever has seen the
 * end finds the turn in the history.
 */
export async function* liveEvents(
  { events, clock }: Services,
  run: ResponseRun,
  settled: Promise<void>,
  signal: AbortSignal,
): AsyncGenerator<SseBlock> {
  const nextFragment = pacer({ clock, startedAt: run.startedAt, due: run.due, signal })
  for (const event of events(run)) {
    if (endsRun(event)) await settled
    else if (isFragment(event)) await nextFragment()
    yield block(event)
  }
}

export async function* replayedEvents(
  { events }: Services,
  run: ResponseRun,
): AsyncGenerator<SseBlock> {
  for (const event of events(run)) yield block(event)
}

function block(event: ResponseEvent): SseBlock {
  return { event: event.type, data: event }
}
