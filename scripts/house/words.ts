import { type CallExpression, parseSync, Visitor } from 'oxc-parser'
import { isPage, isSource, type Repository } from './repository.ts'

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
    const { code, comments, titles } = splitSource(path, text)
    return [
      ...within('code', { text: code, line: 1 }),
      ...comments.flatMap((part) => within('doc', part)),
      ...titles.flatMap((part) => within('title', part)),
      ...titles.flatMap((part) => (part.isOuter ? within('outer title', part) : [])),
    ]
  })
}

interface Part {
  readonly text: string
  /** Line of the file on which it starts. */
  readonly line: number
}

/**
 * Comments of a source, titles of its tests (outer if no `describe` gives them a subject), and its code with
 * spaces in place of comments and literals.
 */
function splitSource(path: string, source: string) {
  const { program, comments } = parseSync(path, source)
  const spans: { readonly start: number; readonly end: number }[] = [...comments]
  const collect = (node: (typeof spans)[number]) => void spans.push(node)
  const titles: (Part & { readonly isOuter: boolean })[] = []
  let describedUntil = 0
  const collectTitle = ({ start, end, arguments: [title] }: CallExpression) => {
    const [name] = /^(?:describe|it|test)\b/.exec(source.slice(start, start + 9)) ?? []
    if (name === undefined || !path.endsWith('.test.ts')) return
    if (title?.type === 'Literal' || title?.type === 'TemplateLiteral') {
      const text = source.slice(title.start + 1, title.end - 1)
      titles.push({ text, line: lineAt(source, title.start), isOuter: start >= describedUntil })
    }
    if (name === 'describe') describedUntil = Math.max(describedUntil, end)
  }
  const visit = { Literal: collect, TemplateElement: collect, CallExpression: collectTitle }
  new Visitor(visit).visit(program)
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
    titles,
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

export interface Rule {
  readonly pattern: RegExp
  /** Place: names in code, doc comments, pages, titles of tests. */
  readonly in: 'code' | 'doc' | 'page' | 'title' | 'outer title'
  readonly instead: string
  /** Files in which the rule does not apply. */
  readonly except?: readonly string[]
}

/** First words of doc comments that begin neither a noun phrase nor a verb; `At most` begins one. */
const openings = [
  'What|Whatever|Who|Whoever|Whom|Which|When|Where|Whether|Why|How|If|Unless|While|Because|Since',
  'Of|In|Into|On|By|As|With|Within|Without|From|To|For|Over|Under|Above|Below|Before|After|Until',
  'At(?! (?:most|least)\\b)|Between|Behind|Beside|Beyond|Against|During',
  'Only|Also|Not|So many|Such|Those|Its|Their|They',
].join('|')

/** Spellings of British English; the project has those of the US. */
const british =
  /\w*(?:catalogue|behaviour|colour|neighbour|recognis|favourite|serialis|normalis|organis)\w*/gi

/** Words that a reader of the field does not know, with the ones to use. */
export const rules: readonly Rule[] = [
  {
    // mostInFlight, mostConnections and longestMs are keys of stored reports.
    pattern:
      /\b(?:most(?!InFlight|Connections)|longest(?!Ms\b)|least|fewest|largest|deepest)[A-Z]\w*/g,
    in: 'code',
    instead: 'max* or min*',
  },
  {
    // Variables and parameters only: `most` is a field of requests of scenarios.
    pattern:
      /\b(?:const|let) (?:most|least|fewest|longest|largest|deepest)\b|\b(?:most|least|fewest|longest|largest|deepest)\b(?=\??: number\b|, \w+\) =>| = Number)/g,
    in: 'code',
    instead: 'max*, min*, upper or lower',
  },
  {
    pattern: /\b(?:said|told|gone|wanted|meant|heard|deeds?|asked|shown|seen|Asked|Seen)\b/g,
    in: 'code',
    instead: 'a noun',
  },
  {
    // `known` is a field of reports: a violation that the baseline lists.
    pattern: /\b(?:const|let|function) \[?(?:known|ends|goes|fresh)\b|\((?:known|ends|fresh)\) =>/g,
    in: 'code',
    instead: 'a noun',
  },
  { pattern: /\b(?:troubles?|whoever)\b/g, in: 'code', instead: 'warnings, problems or a noun' },
  {
    pattern: new RegExp(`^/\\*\\*\\s+(?:\\* )?(?:${openings})(?![\\w-])`, 'g'),
    in: 'doc',
    instead: 'a noun or a verb first',
  },
  {
    pattern: /biome-ignore lint\/suspicious\/noExplicitAny/g,
    in: 'doc',
    instead: 'a type, or the one of the test support',
    except: [
      // Tests edit and read bodies of any shape.
      'harness/judges/test-support/bodies.ts',
      'reference-server/test-support/server.ts',
    ],
  },
  ...(['code', 'doc', 'page'] as const).map((place) => ({
    pattern: british,
    in: place,
    instead: 'US spelling',
  })),
  { pattern: /\b[Ww]hoever\b/g, in: 'page', instead: 'a noun' },
  { pattern: /\bso many\b/g, in: 'page', instead: 'the number' },
  {
    pattern: /^(?:what|who|whoever|whatever|where|nobody)\b| (?:where|wherever|whatever|nobody) /gi,
    in: 'title',
    instead: 'the subject and a verb, and `if` for a condition',
  },
  { pattern: /^(?:of|that)\b/gi, in: 'outer title', instead: 'the subject first' },
]
