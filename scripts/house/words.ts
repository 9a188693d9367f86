import { parseSync, Visitor } from 'oxc-parser'
import { isPage, isSource, type Repository } from './repository.ts'
import { type Rule, rules } from './rules.ts'

/** Pages that are generated from the catalog or describe older versions. */
const generated = /^docs\/(interface\/|internals\/proof|requirements)/

/** Each forbidden word with its place and its replacement. */
export function wordProblems(repository: Repository): readonly string[] {
  return [...repository].flatMap(([path, text]) => {
    if (path.startsWith('scripts/house/')) return []
    const applying = rules.filter(({ except = [] }) => !except.includes(path))
    const within = (kind: Rule['in'], part: Part) =>
      inText(
        path,
        part,
        applying.filter((rule) => rule.in === kind),
      )
    if (isPage(path)) return generated.test(path) ? [] : within('page', { text, line: 1 })
    if (!isSource(path)) return []
    const { code, comments } = splitSource(path, text)
    return [
      ...within('code', { text: code, line: 1 }),
      ...comments.flatMap((part) => within('doc', part)),
    ]
  })
}

interface Part {
  readonly text: string
  /** Line of the file on which it starts. */
  readonly line: number
}

/** Comments of a source, and its code with spaces in place of comments and literals. */
function splitSource(path: string, source: string) {
  const { program, comments } = parseSync(path, source)
  const spans: { readonly start: number; readonly end: number }[] = [...comments]
  const collect = (node: (typeof spans)[number]) => void spans.push(node)
  new Visitor({ Literal: collect, TemplateElement: collect }).visit(program)
  let [code, at] = ['', 0]
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    code += source.slice(at, start) + source.slice(start, end).replaceAll(/[^\n]/g, ' ')
    at = end
  }
  return {
    code: code + source.slice(at),
    comments: comments.map(({ start, end }) => ({
      text: source.slice(start, end),
      line: lineAt(source, start),
    })),
  }
}

function inText(path: string, part: Part, applying: readonly Rule[]): readonly string[] {
  return applying.flatMap(({ pattern, instead }) =>
    [...part.text.matchAll(pattern)].map(({ 0: word, index }) => {
      const line = part.line + lineAt(part.text, index) - 1
      return `${path}:${line}: ${word.replaceAll(/\s+/g, ' ').trim()}: use ${instead}`
    }),
  )
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}
