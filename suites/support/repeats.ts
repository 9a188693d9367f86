import { declined, type Exchange } from '../../harness/conformance/scenario/index.ts'

/** How a repeat was answered, in words; without numbers, which differ from run to run. */
export function manner(first: Exchange, repeat: Exchange): string {
  const status = repeat.response?.status
  if (declined(repeat)) return `refused with ${status}`
  if (repeat.events.length === 0) return `${status}, a JSON body`
  const more = repeat.events.length - first.events.length
  const events = more === 0 ? 'as many events as' : `${more > 0 ? 'more' : 'fewer'} events than`
  return `${status}, a stream of ${events} the first`
}
