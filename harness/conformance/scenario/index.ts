/** The scenario API: all that a suite may import from chatgen. */

export { fill } from '../profile/schema-requests.ts'
export type { Prompts } from '../prompts/prompts.ts'
export { createRandomPicker } from '../session/identities.ts'
export { areConcurrent, findGap, mayRace, type Racer, racers, sendAtOnce } from '../session/race.ts'
export {
  assume,
  type Claim,
  claimRejected,
  expectAccepted,
  expectRejected,
  expectResponse,
  isKeyRefusal,
  type RejectedRequest,
  requireProfile,
} from './claims.ts'
export { coveringRows, rowsToTry } from './covering-rows.ts'
export {
  covers,
  coversAtDepth,
  describe,
  registerSections,
  requirementsOf,
} from './declaration.ts'
export { ContractViolation, expect } from './expect.ts'
export { registerExploring } from './exploring.ts'
export { staysVisible } from './poll.ts'
export * from './read.ts'
export { assumeRead, cursorIn, isConclusive, type ListWalk, whyUnread } from './routes/paging.ts'
export { type KnowledgePrefix, knowledgePrefixes } from './routes/uploads.ts'
export { type Chat, inputText } from './routes/v3.ts'
export { describeRow, pairsOf, plain, type Row, type Values, valuesOf } from './rows.ts'
export {
  type Scenario,
  type Session,
  type TargetProfile,
  test,
} from './test.ts'
