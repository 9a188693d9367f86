import { setMaxListeners } from 'node:events'

/** What has asked for a chat waits so long yet: only the answer tells which is to be deleted. */
const graceMs = 3000

/** Aborted a while after the other. */
export function aWhileAfter(signal: AbortSignal): AbortSignal {
  const later = new AbortController()
  setMaxListeners(0, later.signal)
  const wait = () => setTimeout(() => later.abort(), graceMs).unref()
  if (signal.aborted) wait()
  else signal.addEventListener('abort', wait, { once: true })
  return later.signal
}
