/** Requests that are wrong in one way each, made from the routes and their schemas. */
import fc from 'fast-check'
import type { Route } from '../http/call.ts'
import { openApiDocument } from '../openapi/document.ts'
import type { Json } from './sse.ts'

interface Sent {
  readonly path: string
  readonly headers?: Record<string, string>
  readonly body?: string | Buffer
}

export interface World {
  /** Members of good paths, queries and bodies, by name: every route takes some of them. */
  readonly members: Readonly<Record<string, unknown>>
  /** Members that are others in v2. */
  readonly v2Members: Readonly<Record<string, unknown>>
  readonly cursors: readonly string[]
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1 }),
  fc.constantFrom('0', '-1', 'null', '[]', '{}', '1e999', 'x'.repeat(3000), '__proto__', '💥'),
  fc.uuid(),
)

/** Values of every type, odd ones among them. */
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(
    null,
    -1,
    0,
    1e308,
    '',
    [],
    {},
    [null],
    [[]],
    { type: 'message' },
    [{ role: 'user', content: [{ type: 'input_text' }] }],
    [{ type: 'function_call_output', call_id: 'x', output: [null] }],
    { __proto__: null, constructor: 1, toString: 2 },
    'x'.repeat(5000),
  ),
  text,
)

export function badRequest(route: Route, world: World): fc.Arbitrary<Sent> {
  const kinds = [badPath(route, world), badHeaders(route, world)]
  if (route.query !== undefined) kinds.push(badQuery(route, world), badQuery(route, world))
  if (route.method === 'GET' || route.method === 'DELETE') return fc.oneof(...kinds)
  kinds.push(badBytes(route, world))
  if (route.accepts === 'form') kinds.push(badForm(route, world), badForm(route, world))
  else kinds.push(badMember(route, world), badMember(route, world), badBody(route, world))
  return fc.oneof(...kinds)
}

const json = { 'content-type': 'application/json' }

/** Paths are always wrong if the good request would delete something. */
function goodPath(route: Route, world: World): string {
  const members = membersFor(route, world)
  return route.path.replace(/:(\w+)/g, (_, name) =>
    route.method === 'DELETE' ? 'wrong' : String(members[name]),
  )
}

function badPath(route: Route, world: World): fc.Arbitrary<Sent> {
  const junk = fc.oneof(
    text.map(encodeURIComponent),
    fc.constantFrom('%', '%zz', '%00', '..', '%2e%2e', 'a%2Fb', "'", '*', 'x'.repeat(1500)),
  )
  const members = JSON.stringify(goodBody(route, world))
  const body = hasBody(route) ? { headers: json, body: members } : {}
  return route.path.includes(':')
    ? junk.map((id) => ({ path: route.path.replace(/:\w+/, id), ...body }))
    : junk.map((id) => ({ path: `${route.path}/${id}`, ...body }))
}

function badHeaders(route: Route, world: World): fc.Arbitrary<Sent> {
  const body = hasBody(route) ? JSON.stringify(goodBody(route, world)) : undefined
  const odd = fc.constantFrom<Record<string, string>>(
    { authorization: 'Bearer wrong' },
    { authorization: 'Basic eDp5' },
    { authorization: 'Bearer' },
    { authorization: '' },
    { 'content-type': 'text/plain', 'idempotency-key': 'k' },
    { 'content-type': 'multipart/form-data', 'idempotency-key': 'k' },
    { 'content-type': 'application/json; charset=utf-16', 'idempotency-key': '' },
    { 'content-type': ';;;' },
    { ...json, 'idempotency-key': 'x'.repeat(300) },
    { ...json, 'idempotency-key': '""' },
    { ...json, 'content-encoding': 'gzip', authorization: 'bearer\t' },
  )
  const path = goodPath(route, world)
  return odd.map((headers) => ({ path, headers, ...(body === undefined ? {} : { body }) }))
}

function badQuery(route: Route, world: World): fc.Arbitrary<Sent> {
  const cursor = fc.oneof(
    fc.constantFrom(...world.cursors),
    fc.jsonValue().map((any) => Buffer.from(JSON.stringify(any)).toString('base64url')),
    fc
      .tuple(fc.constantFrom('chats', 'favorites', 'knowledge bases', 'x'), fc.integer())
      .map((pair) => Buffer.from(JSON.stringify(pair)).toString('base64url')),
    text,
  )
  return fc
    .tuple(fc.constantFrom(...queryMembers(route), 'cursor'), text, cursor, fc.boolean())
    .map(([name, any, position, twice]) => {
      const query = new URLSearchParams(goodQuery(route, world))
      query.set(name, name === 'cursor' ? position : any.toWellFormed())
      if (twice) query.append(name, 'again')
      return { path: `${goodPath(route, world)}?${query}` }
    })
}

function badBytes(route: Route, world: World): fc.Arbitrary<Sent> {
  const whole = JSON.stringify(goodBody(route, world))
  const torn = fc.nat(whole.length - 1).map((length) => Buffer.from(whole.slice(0, length)))
  const bytes = fc.oneof(
    fc.uint8Array({ minLength: 1 }).map((some) => Buffer.from(some)),
    torn,
  )
  return bytes.map((body) => ({ path: goodPath(route, world), headers: keyed(json), body }))
}

function badBody(route: Route, world: World): fc.Arbitrary<Sent> {
  return value.map((any) => ({
    path: goodPath(route, world),
    headers: keyed(json),
    body: JSON.stringify(any),
  }))
}

/** A good body but for one member. */
function badMember(route: Route, world: World): fc.Arbitrary<Sent> {
  const names = bodyMembers(route)
  if (names.length === 0) return badBody(route, world)
  return fc.tuple(fc.constantFrom(...names), value).map(([name, any]) => ({
    path: goodPath(route, world),
    headers: keyed(json),
    body: JSON.stringify({ ...goodBody(route, world), [name]: any }),
  }))
}

function badForm(route: Route, world: World): fc.Arbitrary<Sent> {
  const head = fc.constantFrom(
    'form-data; name="file"; filename="a.txt"',
    'form-data; name="file"; filename=""',
    'form-data; name="chat_id"',
    'form-data; name="__proto__"; filename="x"',
    'form-data; filename="x"',
    'form-data; name="file"; filename="../../x\\"y"',
    'attachment',
    '',
  )
  const part = fc
    .tuple(
      head,
      fc.string({ maxLength: 50 }),
      fc.constantFrom('', 'text/plain', 'application/json'),
    )
    .map(([disposition, content, type]) =>
      [`Content-Disposition: ${disposition}`, `Content-Type: ${type}`, '', content].join('\r\n'),
    )
  const end = fc.constantFrom('--b--\r\n', '--b', '', '--b--\r\ntrailing')
  return fc
    .tuple(fc.array(part, { maxLength: 4 }), end, fc.constantFrom('b', 'other', '""', ''))
    .map(([parts, ending, boundary]) => ({
      path: goodPath(route, world),
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
      body: `${parts.map((one) => `--b\r\n${one}\r\n`).join('')}${ending}`,
    }))
}

function keyed(headers: Record<string, string>): Record<string, string> {
  return { ...headers, 'idempotency-key': crypto.randomUUID() }
}

function hasBody({ method }: Route): boolean {
  return method === 'POST' || method === 'PATCH'
}

export function goodRequest(
  route: Route,
  world: World,
): { path: string; body?: object; headers: Record<string, string> } {
  const query = new URLSearchParams(goodQuery(route, world)).toString()
  return {
    path: `${goodPath(route, world)}${query === '' ? '' : `?${query}`}`,
    headers: keyed({}),
    ...(hasBody(route) ? { body: goodBody(route, world) } : {}),
  }
}

function goodQuery(route: Route, world: World): Record<string, string> {
  const members = membersFor(route, world)
  const needed = queryMembers(route).filter((name) => name === 'chat_id' || name === 'q')
  return Object.fromEntries(needed.map((name) => [name, String(members[name])]))
}

function goodBody(route: Route, world: World): object {
  const members = membersFor(route, world)
  const taken = bodyMembers(route).filter((name) => name in members)
  return Object.fromEntries(taken.map((name) => [name, members[name]]))
}

function membersFor({ path }: Route, { members, v2Members }: World): World['members'] {
  return path.startsWith('/api/v2/') ? { ...members, ...v2Members } : members
}

/** Read off the document, so that a member that is added is tried as well. */
function bodyMembers(route: Route): readonly string[] {
  const content = operation(route).requestBody?.content ?? {}
  return Object.keys(content['application/json']?.schema.properties ?? {})
}

function queryMembers(route: Route): readonly string[] {
  const named = operation(route).parameters.filter(({ in: where }: Json) => where === 'query')
  return named.map(({ name }: Json) => name)
}

function operation(route: Route): Json {
  const { paths } = openApiDocument([route]) as { paths: Json }
  return Object.values<Json>(Object.values<Json>(paths)[0])[0]
}
