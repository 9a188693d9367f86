/** Memory in use after a full collection, in bytes: heap, and buffers outside of it. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

export async function memoryInUse(): Promise<number> {
  // Finalizers run between collections, and their objects are freed in the next one.
  for (let round = 0; round < 3; round += 1) {
    collectGarbage()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
