import { chatIdNames, isObject, isUuid, leavesOf, nodesOf } from '../../../contract/index.ts'

/** Tests if a text occurs among the values of a body; a UUID may be in upper case. */
export function contains(body: unknown, text: string): boolean {
  const form = isUuid(text) ? (value: string) => value.toLowerCase() : (value: string) => value
  const needle = form(text)
  return nodesOf(body).some(
    ({ value }) => typeof value === 'string' && form(value).includes(needle),
  )
}

/** Tests if a field at any depth has one of the names. */
export function hasMember(body: unknown, names: readonly string[]): boolean {
  return nodesOf(body).some(
    ({ value }) => isObject(value) && names.some((name) => Object.hasOwn(value, name)),
  )
}

/** Texts that several elements of one list show, if that list shows others of them as well. */
export function repeatedIn(body: unknown, texts: readonly string[]): readonly string[] {
  const lists = nodesOf(body).flatMap(({ value }) => (Array.isArray(value) ? [value] : []))
  const counts = lists.map((list) => {
    const elements = list.map((element) => new Set(leavesOf(element).map(({ value }) => value)))
    return texts.map((text) => elements.filter((leaves) => leaves.has(text)).length)
  })
  const ofLists = counts.filter((count) => count.filter((times) => times > 0).length > 1)
  return texts.filter((_, at) => ofLists.some((count) => (count[at] ?? 0) > 1))
}

/** Tests if a body holds an array at any depth. */
export function holdsList(body: unknown): boolean {
  return nodesOf(body).some(({ value }) => Array.isArray(value))
}

/**
 * The ids of the chats in the list that holds one of the given chats: of the elements that have their id
 * under the same name. If no list of the body holds one, of the list in the same place as one of `similar`
 * that does. Empty if there is none.
 */
export function listedChatIds(
  body: unknown,
  ids: readonly string[],
  ...similar: readonly unknown[]
): ReadonlySet<string> {
  const lists = chatLists(body)
  for (const other of [body, ...similar]) {
    for (const [place, list] of chatLists(other)) {
      if (ids.some((id) => list.has(id.toLowerCase()))) return lists.get(place) ?? new Set()
    }
  }
  return new Set()
}

/** The ids of chats among the elements of each list, by the path of the list and the name of the id. */
function chatLists(body: unknown): ReadonlyMap<string, ReadonlySet<string>> {
  const lists = new Map<string, Set<string>>()
  for (const { path, value } of leavesOf(body)) {
    const name = path.at(-1) ?? ''
    const isOfElement = chatIdNames.includes(name) && /^\d+$/.test(path.at(-2) ?? '')
    if (!isOfElement || !isUuid(value)) continue
    const place = [...path.slice(0, -2), name].join('/')
    lists.set(place, (lists.get(place) ?? new Set()).add(value.toLowerCase()))
  }
  return lists
}
