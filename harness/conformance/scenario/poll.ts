import type { Session } from '../session/session.ts'

/** Reads until `enough` says so, for as long as a change may take to be seen. */
export async function poll<Seen>(
  session: Session,
  read: () => Promise<Seen>,
  enough: (seen: Seen) => boolean,
): Promise<Seen> {
  let seen = await read()
  for (const ms of delaysWithin(session.context.setup.profile.limits.settleMs)) {
    if (enough(seen)) break
    await session.sleep(ms)
    seen = await read()
  }
  return seen
}

/** Growing delays that add up to a time; counted, not clocked, so that a recording runs the same. */
function delaysWithin(totalMs: number): number[] {
  const delays: number[] = []
  let remaining = totalMs
  for (let next = 50; remaining > 0; next = Math.min(next * 2, 500)) {
    delays.push(Math.min(next, remaining))
    remaining -= next
  }
  return delays
}
