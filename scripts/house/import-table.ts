/** The table of allowed imports in ARCHITECTURE.md, from `.dependency-cruiser.cjs`. */
import { createRequire } from 'node:module'

interface Rule {
  readonly name: string
  readonly from: { readonly path?: string }
  readonly to: { readonly pathNot?: readonly string[] }
}

const begin = '<!-- imports: written by `npm run docs` -->'
const end = '<!-- end of imports -->'

/** The page with its table replaced; the descriptions of the folders are kept. Throws if one is missing. */
export function withImportTable(page: string): string {
  const start = page.indexOf(begin)
  const stop = page.indexOf(end)
  if (start < 0 || stop < start)
    throw new Error('ARCHITECTURE.md has no place for the import table')
  const described = new Map(
    [...page.slice(start, stop).matchAll(/^\| `([^`]+)`: (.*?) *\| .*\|$/gm)].map(
      ([, folder = '', text = '']) => [folder, text],
    ),
  )
  const rows = rules().map(([folder, imports]) => {
    const text = described.get(folder)
    if (text === undefined) throw new Error(`ARCHITECTURE.md does not describe ${folder}`)
    return `| \`${folder}\`: ${text} | ${imports.join(', ')} |`
  })
  const table = ['| Folder | May import |', '| --- | --- |', ...rows]
  return `${page.slice(0, start)}${begin}\n\n${table.join('\n')}\n\n${page.slice(stop)}`
}

function rules(): readonly (readonly [folder: string, imports: readonly string[]])[] {
  const config: { forbidden: readonly Rule[] } = createRequire(import.meta.url)(
    '../../.dependency-cruiser.cjs',
  )
  return config.forbidden
    .filter(({ name }) => name.startsWith('imports-of-'))
    .map(({ from, to }) => {
      const folder = plain(from.path ?? '')
      const [, ...allowed] = to.pathNot ?? []
      return [folder, allowed.map(plain)] as const
    })
}

/** A folder or a package, without the syntax of regular expressions. */
function plain(pattern: string): string {
  return pattern
    .replace('^node_modules/', '')
    .replace('(/|[.]ts$)', '')
    .replace('[^/]+', '*')
    .replace(/^\^/, '')
    .replace(/\/$/, '')
}
