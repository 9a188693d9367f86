/** `npm run check:house`: words, folders and references that a linter does not know. */
import { referenceProblems } from './house/references.ts'
import { errorNameProblems, readRepository, sizeProblems } from './house/repository.ts'
import { wordProblems } from './house/words.ts'

const repository = readRepository()
const problems = [
  ...wordProblems(repository),
  ...sizeProblems(repository),
  ...errorNameProblems(repository),
  ...referenceProblems(repository),
]
for (const problem of problems) console.error(problem)
if (problems.length > 0) console.error(`${problems.length} problems (rules: scripts/house)`)
process.exitCode = problems.length === 0 ? 0 : 1
