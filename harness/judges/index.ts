/** Judges: pure functions from an exchange, or from a stream while it arrives, to findings. */

export {
  answerText,
  compareForms,
  compareOutputWithHistory,
  deltasOf,
  finalResponse,
} from './answers.ts'
export { type Delivery, deliveryOf } from './delivery.ts'
export { createStreamJudge, judge, type StreamedOperation } from './judge.ts'
export { StreamContents, type StreamJudge } from './streams.ts'
