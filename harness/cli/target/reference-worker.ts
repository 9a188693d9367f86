/** Entry point of the thread of the bundled server: starts it, and closes it on any message. */
import { enableCompileCache } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import { messageOf } from '../../../contract/error-message.ts'
import type { ReferenceThreadMessage, ReferenceThreadOptions } from './reference-thread.ts'

// Not inherited from the main thread; imports that follow find their modules compiled.
enableCompileCache()

const port = parentPort
if (port !== null) {
  const post = (message: ReferenceThreadMessage) => port.postMessage(message)
  serve(workerData).then(
    ({ url, close }) => {
      port.once('message', close)
      post({ url })
    },
    (error: unknown) => post({ failure: messageOf(error) }),
  )
}

async function serve({ pace, keys }: ReferenceThreadOptions) {
  const { parsePace, startReferenceServer } = await import('../../../reference-server/index.ts')
  return startReferenceServer({ pace: parsePace(pace), keys })
}
