import { isSource, type Repository } from './repository.ts'

const maxLines = 80

/** Longer functions, with the reason. */
const longFunctions: Readonly<Record<string, string>> = {
  'harness/conformance/cleanup/auxiliary-client.ts createAuxiliaryClient': 'closures over a client',
  'harness/conformance/scenario/routes/chats.ts chatRoutes': 'one short method a route',
  'harness/conformance/scenario/routes/v2.ts v2Routes': 'one short method a route',
  'harness/conformance/scenario/routes/v3.ts v3Routes': 'one short method a route',
  'reference-server/store/sql/knowledge.ts sqlKnowledge': 'one short method a statement',
  'reference-server/store/sql/ledger.ts sqlLedger': 'one short method a statement',
  'scripts/image/targets.ts testTargets': 'one step of a script after another',
}

/** Beginning of a function that a formatter ends with a brace at the same indentation. */
const beginning =
  /^( *)(?:export )?(?:(?:async )?function\*? ?(\w+)|const (\w+)\b.*=> \{$|(?:static )?(?:async )?\*?(#?\w+)\((?!.*=>).*\{$)/

const statement = /^(?:if|for|while|switch|catch)$/

/** Functions with too many lines, and exceptions that are not needed. */
export function functionProblems(repository: Repository): readonly string[] {
  const sources = [...repository].filter(([path]) => isSource(path) && !path.endsWith('.test.ts'))
  const long = sources.flatMap(([path, text]) =>
    functionsOf(text)
      .filter(({ lines }) => lines > maxLines)
      .map(({ name, lines }) => ({ key: `${path} ${name}`, lines })),
  )
  const keys = new Set(long.map(({ key }) => key))
  const isWhole = repository.has('package.json')
  return [
    ...long
      .filter(({ key }) => !(key in longFunctions))
      .map(({ key, lines }) => `${key}: ${lines} lines, at most ${maxLines}`),
    ...Object.keys(longFunctions)
      .filter((key) => !keys.has(key) && (isWhole || repository.has(key.split(' ')[0] ?? '')))
      .map((key) => `scripts/house/functions.ts: ${key} is no exception any more`),
  ]
}

function functionsOf(text: string): readonly { readonly name: string; readonly lines: number }[] {
  const lines = text.split('\n')
  return lines.flatMap((line, first) => {
    const [, indent = '', ...names] = beginning.exec(line) ?? []
    const name = names.find((one) => one !== undefined)
    if (name === undefined || statement.test(name)) return []
    // A brace that opens the body again ends the parameters, not the function.
    const length = lines
      .slice(first + 1)
      .findIndex((next) => next.startsWith(`${indent}}`) && !next.endsWith('{'))
    return length < 0 ? [] : [{ name, lines: length + 2 }]
  })
}
