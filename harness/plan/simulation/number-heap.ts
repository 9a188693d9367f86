/** Binary heap of numbers, the smallest first. */
export class NumberHeap {
  readonly #values: number[] = []

  get size(): number {
    return this.#values.length
  }

  /** Infinite where the heap is empty. */
  get min(): number {
    return this.#values[0] ?? Number.POSITIVE_INFINITY
  }

  push(value: number): void {
    const values = this.#values
    let at = values.length
    values.push(value)
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = values[parent] ?? 0
      if (above <= value) break
      values[at] = above
      at = parent
    }
    values[at] = value
  }

  /** Removes the smallest. */
  pop(): number {
    const values = this.#values
    const first = this.min
    const last = values.pop()
    if (last === undefined || values.length === 0) return first
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= values.length) break
      const right = values[child + 1] ?? Number.POSITIVE_INFINITY
      if (right < (values[child] ?? 0)) child += 1
      const below = values[child] ?? 0
      if (below >= last) break
      values[at] = below
      at = child
    }
    values[at] = last
    return first
  }
}
