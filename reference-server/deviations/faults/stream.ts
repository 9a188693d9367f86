/** Faults of the v3 event stream, all of section 6. */
import type { Fault } from '../types.ts'
import { deliveryFaults } from './delivery.ts'
import { endingFaults } from './stream-ending.ts'
import { framingFaults } from './stream-framing.ts'
import { numberFaults } from './stream-numbers.ts'
import { orderFaults } from './stream-order.ts'
import { responseFaults } from './stream-response.ts'
import { someStreamFaults } from './stream-some.ts'
import { textFaults } from './stream-text.ts'

export const streamFaults: readonly Fault[] = [
  ...framingFaults,
  ...orderFaults,
  ...numberFaults,
  ...textFaults,
  ...responseFaults,
  ...endingFaults,
  ...someStreamFaults,
  ...deliveryFaults,
]
