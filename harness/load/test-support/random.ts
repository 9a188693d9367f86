import { standardNormal } from '../plan/random.ts'

/** Numbers from 0 to 1, the same for a seed (Mulberry32). */
export function uniform(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** Standard normal values. */
export function normal(seed: number): () => number {
  const random = uniform(seed)
  return () => standardNormal(random(), random())
}
