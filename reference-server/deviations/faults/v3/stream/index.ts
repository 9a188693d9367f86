/** Faults of the v3 event stream, all of section 6. */
import type { Fault } from '../../../types.ts'
import { deliveryFaults } from './delivery.ts'
import { endingFaults } from './ending.ts'
import { framingFaults } from './framing.ts'
import { numberFaults } from './numbers.ts'
import { orderFaults } from './order.ts'
import { responseFaults } from './response.ts'
import { someStreamFaults } from './some.ts'
import { textFaults } from './text.ts'

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
