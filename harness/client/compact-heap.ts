import { setFlagsFromString } from 'node:v8'

/** Ten times the largest stream of `check --reference`; a list of models may well be as large. */
const large = { stream: 256 * 1024, body: 1024 * 1024 }

/**
 * V8 lets its heap grow to a multiple of what is alive before it collects, and reading a large body
 * makes several times its size in objects that die at once. So the first large body of a process
 * makes V8 collect earlier: `check` of a target whose streams have a million events stays at some
 * 440 MB instead of 685 MB. From the start on, the same flags would cost an ordinary run 30 % more CPU.
 *
 * `load` reads the answers to its load elsewhere and is left alone: there a collection delays the stamps.
 */
export function keepHeapCompactFor(kind: 'stream' | 'body', bytes: number): void {
  if (isCompact || bytes < large[kind]) return
  isCompact = true
  setFlagsFromString('--heap-growing-percent=15')
  setFlagsFromString('--max-semi-space-size=4')
  setFlagsFromString('--semi-space-growth-factor=1')
}

let isCompact = false
