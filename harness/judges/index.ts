/** Judges: pure functions from an exchange, or from a stream while it arrives, to findings. */

export {
  answerText,
  compareForms,
  compareOutputWithHistory,
  deltasOf,
  finalResponse,
} from './answers.ts'
export { type Delivery, deliveryOf } from './delivery.ts'
export { finalText } from './final-response.ts'
export { createStreamJudge, judge, type StreamedOperation } from './judge.ts'
export { SseScanner } from './sse/scanner.ts'
export { type ContentKind, StreamContents, type StreamJudge } from './streams.ts'
