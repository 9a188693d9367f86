import {
  areaOf,
  type Level,
  type RequirementId,
  requirementIds,
  requirements,
  type Surface,
} from '../../contract/index.ts'
import type { Repository } from '../house/repository.ts'

export interface NewRequirement {
  /** The next free number of its area: `V3-IDEM-09`. */
  readonly id: string
  /** A sentence with MUST (level `required`) or SHOULD (level `expected`). */
  readonly title: string
  /** An existing requirement of the same area: its section, dependencies, statements and files are taken over. */
  readonly beside: string
}

/** Places in the repository, with their new text. */
export interface Skeleton {
  readonly files: ReadonlyMap<string, string>
  /** Parts for which the neighbor has no place, each with the folder to choose from. */
  readonly missing: readonly string[]
}

/**
 * Catalogue entry, owners, scenario and fault of a new requirement, inserted next to those of its neighbor.
 * @throws SyntaxError for an id that is not the next one, or a title without MUST or SHOULD.
 */
export function requirementSkeleton(repository: Repository, added: NewRequirement): Skeleton {
  const { id, title, beside } = added
  const neighbor = requirementIds.find((one) => one === beside)
  if (neighbor === undefined) throw new SyntaxError(`${beside}: no such requirement`)
  const area = areaOf(neighbor)
  const siblings = requirementIds.filter((one) => areaOf(one) === area)
  const next = `${area}-${String(siblings.length + 1).padStart(2, '0')}`
  if (id !== next) throw new SyntaxError(`${id}: the next id of this area is ${next}`)
  const level = levelOf(title)

  const files = new Map<string, string>()
  const missing: string[] = []
  const insert = (folder: string, edit: (text: string, sibling: string) => string | null) => {
    const candidates = [...repository].filter(
      ([path]) => path.startsWith(folder) && !path.endsWith('.test.ts'),
    )
    for (const sibling of [neighbor, ...siblings.toReversed()]) {
      for (const [path, text] of candidates) {
        const edited = text.includes(`'${sibling}'`) ? edit(text, sibling) : null
        if (edited !== null) return files.set(path, edited)
      }
    }
    return missing.push(folder)
  }
  const last = siblings.at(-1) ?? neighbor
  insert('contract/catalogue/', (text) => withEntry(text, { id, title, level, neighbor, last }))
  insert('suites/', (text, sibling) =>
    withScenario(text, sibling, scenarioText(id, requirements[neighbor].surface)),
  )
  insert('reference-server/deviations/faults/', (text, sibling) => withFault(text, sibling, id))
  const ledger = repository.get(statements) ?? ''
  const owned = ledger.replaceAll(new RegExp(` ${neighbor}\\b`, 'g'), ` ${neighbor} ${id}`)
  if (owned === ledger) missing.push(statements)
  else files.set(statements, owned)
  return { files, missing }
}

const statements = 'contract/statements.ts'

function levelOf(title: string): Level {
  if (/\bMUST\b/.test(title)) return 'required'
  if (/\bSHOULD\b/.test(title)) return 'expected'
  throw new SyntaxError('the title needs MUST or SHOULD')
}

interface Entry {
  readonly id: string
  readonly title: string
  readonly level: Level
  readonly neighbor: RequirementId
  readonly last: string
}

/** The entry of the neighbor with another title, after the last entry of the area. */
function withEntry(text: string, { id, title, level, neighbor, last }: Entry): string | null {
  const entry = (of: string) =>
    new RegExp(`^  '${of}': \\{(?:.*\\},\\n|\\n[\\s\\S]*?^  \\},\\n)`, 'm')
  const model = entry(neighbor).exec(text)?.[0]
  const end = entry(last).exec(text)
  if (model === undefined || end === null) return null
  const titled = model
    .replace(neighbor, id)
    .replace(/(?<=title:\s*)(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")/, () => JSON.stringify(title))
  const written =
    requirements[neighbor].level === level
      ? titled
      : titled.replace(/ level: '\w+',/, '').replace('title:', `level: '${level}', title:`)
  return spliced(text, end.index + end[0].length, written)
}

/** Place at the end of the group of scenarios that covers a sibling. */
function withScenario(text: string, sibling: string, scenario: string): string | null {
  const from = text.indexOf(`'${sibling}'`)
  const end = text.slice(from).search(/^\}\)$/m)
  if (end < 0 || !text.includes('covers([')) return null
  return withImports(spliced(text, from + end, `\n${scenario}`))
}

/** A scenario that passes where a plain request of the surface is accepted. */
function scenarioText(id: string, surface: Surface): string {
  const { fixture, cost, request } = plainRequests[surface]
  return `  test(
    'TODO: the rule of ${id}',
    covers(['${id}'], ${cost}),
    async ({ ${fixture}, claim, prompts }) => {
${request.map((line) => `      ${line}`).join('\n')}
      claim('${id}', () => expectAccepted(exchange, 'the request'), exchange)
    },
  )
`
}

const plainRequests: Readonly<
  Record<Surface, { fixture: string; cost: string; request: readonly string[] }>
> = {
  openai: {
    fixture: 'openai',
    cost: '{ requests: 1, generations: 1 }',
    request: ['const exchange = await openai.chat(openai.chatBody(prompts.brief()))'],
  },
  v2: {
    fixture: 'v2',
    cost: '{ requests: 1 }',
    request: [
      'const chat = await v2.chat()',
      'const exchange = await v2.message(v2.messageBody(chat, prompts.brief()))',
    ],
  },
  v3: {
    fixture: 'v3',
    cost: '{ requests: 2, generations: 1, chats: 1 }',
    request: [
      'const chat = await v3.createChat()',
      'const exchange = await v3.generate(v3.generateBody(chat, prompts.brief()))',
    ],
  },
}

/** Adds a fault after the first that breaks a sibling, or at the head of the list that uses it. */
function withFault(text: string, sibling: string, id: string): string | null {
  const list = /(?<=readonly Fault\[\] = \[\n)[\s\S]*?(?=^\])/m.exec(text)
  if (list === null) return null
  const model = new RegExp(`breaks: \\[[^\\]]*'${sibling}'[\\s\\S]*?^ {2}\\},\\n`, 'm').exec(
    list[0],
  )
  const at = list.index + (model === null ? 0 : model.index + model[0].length)
  const fault = `  {
    name: '${id.toLowerCase()}-violated',
    summary: 'TODO: the violation, in a sentence.',
    breaks: ['${id}'],
    // TODO: helpers are in deviations/patches.
    patch: (services) => services,
  },
`
  return spliced(text, at, fault)
}

function withImports(text: string): string {
  return text.replace(
    /import \{([^}]*)\} from '[./]*harness\/conformance\/scenario/,
    (found, names) =>
      /\bexpectAccepted\b/.test(names) ? found : found.replace('{', '{\n  expectAccepted,'),
  )
}

function spliced(text: string, at: number, added: string): string {
  return text.slice(0, at) + added + text.slice(at)
}
