import { isPage, isSource, type Repository } from './repository.ts'
import { type Rule, rules } from './rules.ts'
import { scanSource } from './scan-source.ts'

/** Pages that are generated from the catalog or describe older versions. */
const generated = /^docs\/(interface\/|internals\/proof|requirements)/

/** Each forbidden word with its place and its replacement. */
export function wordProblems(repository: Repository): readonly string[] {
  return [...repository].flatMap(([path, text]) => {
    if (path.startsWith('scripts/house/')) return []
    const applying = rules.filter(
      ({ except = [] }) => !except.some((beginning) => path.startsWith(beginning)),
    )
    if (isPage(path)) {
      return generated.test(path) ? [] : inText(path, text, 1, ofKind(applying, 'page'))
    }
    if (!isSource(path)) return []
    return scanSource(text).flatMap(({ kind, text, line }) =>
      kind === 'text'
        ? []
        : inText(path, text, line, ofKind(applying, kind === 'comment' ? 'doc' : kind)),
    )
  })
}

function ofKind(applying: readonly Rule[], kind: Rule['in']): readonly Rule[] {
  return applying.filter((rule) => rule.in === kind)
}

function inText(
  path: string,
  text: string,
  firstLine: number,
  applying: readonly Rule[],
): readonly string[] {
  return applying.flatMap(({ pattern, instead }) =>
    [...text.matchAll(pattern)].map(({ 0: word, index }) => {
      const line = firstLine + (text.slice(0, index).match(/\n/g)?.length ?? 0)
      return `${path}:${line}: ${word.replaceAll(/\s+/g, ' ').trim()}: use ${instead}`
    }),
  )
}
