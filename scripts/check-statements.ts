/** Holds an edition of the interface document against the statements that the catalog owns. */
import { readFileSync } from 'node:fs'
import { splitDocument } from '../contract/split-document.ts'
import { statements } from '../contract/statements.ts'

const help = `node scripts/check-statements.ts FILE

Compares the statements of an edition of the interface document (Markdown) with those that the
catalog has owners for. Prints each statement that is new or gone, and each "not shown" without an
open question. Ends with 1 if there is one.

  npx node scripts/check-statements.ts interface.md`

const [file] = process.argv.slice(2)
if (file === undefined || file === '--help') {
  console.log(help)
  process.exitCode = file === undefined ? 2 : 0
} else {
  const problems = compare(readFileSync(file, 'utf8'))
  for (const problem of problems) console.log(problem)
  console.log(`${problems.length} differences`)
  process.exitCode = problems.length === 0 ? 0 : 1
}

function compare(document: string): readonly string[] {
  const split = splitDocument(document)
  const owned = statements()
  const key = (statement: { section: string; hash: string }) =>
    `${statement.section} ${statement.hash}`
  const inDocument = new Map(split.map((statement) => [key(statement), statement.text]))
  const owners = new Map(owned.map((statement) => [key(statement), statement.owners]))
  const news = [...inDocument].filter(([id]) => !owners.has(id))
  const removed = [...owners].filter(([id]) => !inDocument.has(id))
  const unasked = [...inDocument].filter(
    ([id, text]) =>
      text.includes('not shown') && !owners.get(id)?.some((owner) => owner.startsWith('OPEN-')),
  )
  return [
    ...news.map(([id, text]) => `new: ${id} ${text}`),
    ...removed.map(([id, names]) => `gone: ${id} ${names.join(' ')}`),
    ...unasked.map(([id, text]) => `no open question: ${id} ${text}`),
  ]
}
