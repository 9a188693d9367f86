/** The scenario API: all that a suite may import from the kit. */

export {
  acceptsKey,
  type Claim,
  declared,
  expectAccepted,
  expectCompletion,
  expectResponse,
  given,
} from './claims.ts'
export { covers, whereNegotiated } from './covers.ts'
export { describe, registerSections } from './describe.ts'
export { ContractViolation, expect } from './expect.ts'
export * from './read.ts'
export { type KnowledgePrefix, knowledgePrefixes } from './routes/knowledge.ts'
export { tellsOfTheList } from './routes/paging.ts'
export { type Chat, inputText } from './routes/v3.ts'
export { type Compared, differencesOf, overBothVersions } from './routes/versions.ts'
export { fill } from './template.ts'
export { test } from './test.ts'
