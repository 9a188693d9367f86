import type { Exchange } from '../../../contract/index.ts'
import { answerJson, isObject } from '../../conformance/scenario/read.ts'
import { cursorIn } from '../../conformance/scenario/routes/paging.ts'

/** Fewer elements than any page would have, and no word of a next page. */
export function isWholeList(page: Exchange): boolean {
  const cursor = cursorIn(page, undefined)
  if (cursor === null) return true
  return cursor === undefined && maxListLength(answerJson(page)) < smallestPage
}

const smallestPage = 10

function maxListLength(body: unknown): number {
  const queue: unknown[] = [body]
  let maxLength = 0
  for (const value of queue) {
    if (Array.isArray(value)) maxLength = Math.max(maxLength, value.length)
    if (isObject(value)) queue.push(...Object.values(value))
  }
  return maxLength
}
