/** Judges: pure functions from an exchange, or from a stream while it arrives, to findings. */

export { answerText, type Delta, deltasOf, finalResponse } from './answers.ts'
export { compareForms, compareOutputWithHistory, type FormComparison } from './compare.ts'
export { type Delivery, deliveredWhileMade } from './delivery.ts'
export { finalText } from './final-response.ts'
export { createStreamJudge, judge, type StreamedOperation } from './judge.ts'
export { type Block, type Field, SseScanner } from './sse/scanner.ts'
export type { StreamJudge } from './streams.ts'
