/** `npm run check:house`: words, sizes and references that a linter does not know. */
import { errorNameProblems } from './house/error-names.ts'
import { functionProblems } from './house/functions.ts'
import { referenceProblems } from './house/references.ts'
import { readRepository } from './house/repository.ts'
import { sizeProblems } from './house/sizes.ts'
import { testProblems } from './house/tests.ts'
import { wordProblems } from './house/words.ts'

const repository = readRepository()
const problems = [
  ...wordProblems(repository),
  ...sizeProblems(repository),
  ...functionProblems(repository),
  ...errorNameProblems(repository),
  ...referenceProblems(repository),
  ...testProblems(repository),
]
for (const problem of problems) console.error(problem)
if (problems.length > 0) console.error(`${problems.length} problems (rules: scripts/house)`)
process.exitCode = problems.length === 0 ? 0 : 1
