export interface Rule {
  readonly pattern: RegExp
  /** Place: names in code, doc comments, pages. */
  readonly in: 'code' | 'doc' | 'page'
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
    // Variables and parameters only: `most` is a member of requests of scenarios.
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
    // `known` is a member of reports: a violation that the baseline lists.
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
      'reference-server/test-support/sse.ts',
    ],
  },
  ...(['code', 'doc', 'page'] as const).map((place) => ({
    pattern: british,
    in: place,
    instead: 'US spelling',
  })),
  { pattern: /\b[Ww]hoever\b/g, in: 'page', instead: 'a noun' },
  { pattern: /\bso many\b/g, in: 'page', instead: 'the number' },
]
