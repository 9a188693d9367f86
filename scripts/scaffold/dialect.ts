import type { Repository } from '../house/repository.ts'

const folder = 'reference-server/deviations/dialects/'

/**
 * A dialect without effect at the head of a list, `requests/strictness` for example.
 * @throws SyntaxError for a list that does not exist.
 */
export function dialectSkeleton(repository: Repository, name: string, list: string) {
  const path = `${folder}${list}.ts`
  const text = repository.get(path) ?? ''
  const start = /readonly Dialect\[\] = \[\n/.exec(text)
  if (start === null) {
    const lists = [...repository.keys()]
      .filter((file) => file.startsWith(folder) && file.slice(folder.length).includes('/'))
      .map((file) => file.slice(folder.length, -'.ts'.length))
    throw new SyntaxError(`${list}: no such list; there are ${lists.join(', ')}`)
  }
  const at = start.index + start[0].length
  const dialect = `  {
    name: '${name}',
    summary: 'TODO: the difference from the plain server, in a sentence.',
    // TODO: helpers are in deviations/patches.
    patch: (services) => services,
  },
`
  return new Map([[path, text.slice(0, at) + dialect + text.slice(at)]])
}
