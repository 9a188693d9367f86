import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { startReferenceServer } from '../../../reference-server/index.ts'
import { ended } from '../../client/test-support/listen-on-loopback.ts'
import { keyMarks, readJournal } from '../../conformance/cleanup/journal.ts'
import { type ChatServer, startChatServer } from '../../conformance/test-support/chat-server.ts'
import { chatsOn, expectEnd, newChat, workplace } from '../test-support/chatgen.ts'
import { inProcess } from '../test-support/in-process.ts'
import { createdIn, journalOf } from '../test-support/servers.ts'

const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
const tagged = (nonce: string) => `${nonce} chatgen-5eed`

describe('chatgen cleanup', () => {
  test('deletes only open chats of a journal, and lists them', async () => {
    const server = await chatServer()
    server.add(tagged('Lost1'))
    server.add('Somebody else made this')
    const cleanup = journal(server, [
      created(tagged('Known1'), server.add(tagged('Known1'))),
      { ...open, name: tagged('Lost1') },
      { ...open, name: tagged('Never1') },
      { ...open, kind: 'attachment', name: 'a.txt' },
    ])
    const { code, stdout } = await cleanup('j.ndjson')
    expect(
      stdout.replaceAll(server.url, 'URL').replaceAll(uuid, 'ID').split('\n').sort(),
    ).toMatchInlineSnapshot(`
      [
        "",
        "3 chats deleted or already gone",
        "deleted  ID  Known1 chatgen-5eed: DELETE: 204, then GET: 404",
        "deleted  ID  Lost1 chatgen-5eed: DELETE: 204, then GET: 404",
        "gone     by name  Never1 chatgen-5eed: no chat with this name is listed",
        "j.ndjson: run chatgen-5eed against URL (chatgen 0.1.0): 3 chats to delete, 1 truncated line",
        "not deleted: 1 attachment (the interface has no route to delete them)",
      ]
    `)
    expect(code).toBe(0)
    expect([...server.chats.values()].map(({ name }) => name)).toEqual(['Somebody else made this'])

    const before = server.requests.length
    expectEnd(await cleanup('./j.ndjson'), 0, { out: 'no chats to delete' })
    expect(server.requests.length).toBe(before)
  })

  test('--dry-run sends nothing', async () => {
    const server = await chatServer()
    const id = server.add(tagged('Known1'))
    const cleanup = journal(server, [created(tagged('Known1'), id)])
    expectEnd(await cleanup('j.ndjson --dry-run'), 0, { out: `would delete  ${id}` })
    expectEnd(await cleanup('j.ndjson', { CHATGEN_DRY_RUN: '1', CI: '1' }), 5, { err: 'DRY RUN' })
    const planned = await cleanup('j.ndjson --dry-run --json')
    expect(JSON.parse(planned.stdout)).toMatchObject({ chats: [{ id }] })
    expect(server.requests).toEqual([])
    const { stdout } = await cleanup('j.ndjson --json')
    expect(JSON.parse(stdout)).toMatchObject({ chats: [{ id, outcome: 'deleted' }] })
  })

  test('reports missing chats of another URL as left', async () => {
    const server = await chatServer()
    const other = await chatServer({ key: server.key })
    const id = server.add(tagged('Known1'))
    const entries = [created(tagged('Known1'), id), { ...open, name: tagged('Lost1') }]
    const cleanup = journal(server, entries)
    const elsewhere = await cleanup(`j.ndjson ${other.url}`)
    expectEnd(elsewhere, 1, { out: [`left     ${id}`, 'left     by name', '2 left'] })
    expectEnd(await cleanup('j.ndjson'), 0, { out: `deleted  ${id}` })
  })

  test('uses both keys, and leaves chats of a key that is missing', async () => {
    const server = ended(await startReferenceServer({ keys: ['key-of-ann', 'key-of-bob'] }))
    const ids = await Promise.all(
      ['Known1', 'Lost1'].map((nonce) => newChat(server.url, 'key-of-bob', tagged(nonce))),
    )
    const entries = [created(tagged('Known1'), ids[0] ?? ''), { ...open, name: tagged('Lost1') }]
    const profile = `baseUrl: ${server.url}\nlimits: { settleMs: 50 }\n`
    const files = { 'ann.yaml': profile, 'both.yaml': `${profile}otherKey: key-of-bob\n` }
    const keys = keyMarks({ apiKey: 'key-of-ann', otherKey: 'key-of-bob' }, 'chatgen-5eed')
    const cleanup = journal({ ...server, key: 'key-of-ann' }, entries, files, { keys })
    expectEnd(await cleanup('j.ndjson --target ann.yaml'), 1, { out: ['a second one', '2 left'] })
    expectEnd(await cleanup('j.ndjson --target both.yaml'), 0, { out: `deleted  ${ids[0]}` })
    expect(await chatsOn(server.url, 'key-of-bob')).toEqual([])
  })

  test('ends with 1 if a chat could not be deleted', async () => {
    const server = await chatServer({ deletes: () => ({ done: false, status: 500 }) })
    const id = server.add(tagged('Hard1'))
    const cleanup = journal(server, [created(tagged('Hard1'), id)], settlingAt(server))
    const out = [`left     ${id}`, '0 chats deleted or already gone, 1 left']
    expectEnd(await cleanup('j.ndjson --target target.yaml'), 1, { out })
  })

  test('uses all endpoints, even if one is down', async () => {
    const key = 'tok_of_both'
    const servers = [await chatServer({ key }), await chatServer({ key })] as const
    const down = await startChatServer()
    await down.close()
    const entries = servers.map((server, at) =>
      created(tagged(`Known${at}`), server.add(tagged(`Known${at}`))),
    )
    const cleanup = journal(servers[0], entries, settlingAt(down, ...servers))
    expectEnd(await cleanup('j.ndjson --target target.yaml'), 0, {
      out: '2 chats deleted or already gone',
      err: `chatgen: ${down.url}`,
    })
    expect(servers.map((server) => server.chats.size)).toEqual([0, 0])
  })

  test('skips chats without the tag of the run and ids with path segments', async () => {
    const server = await chatServer()
    const ids = ['..', '.', '', '../../v2/message', '%2e%2e']
    const cleanup = journal(server, [
      created('My own chat', server.add('My own chat')),
      ...ids.map((id) => created(tagged('Tavoru7316'), id)),
    ])
    const ended = await cleanup('j.ndjson')
    const left = '2 chats deleted or already gone, 4 left'
    expectEnd(ended, 1, { out: ['does not carry the tag chatgen-5eed', left] })
    expect(ended.stdout.match(/its id cannot be part of a path/g)).toHaveLength(3)
    expect(server.chats.size).toBe(1)
  })

  test('ends with 3 if the target is unreachable or refuses the key', async () => {
    const server = await chatServer()
    const cleanup = journal({ ...server, key: 'sk-wrong-key' }, [
      { ...open, name: tagged('Lost1') },
    ])
    expectEnd(await cleanup('j.ndjson'), 3, { err: 'refuses the key' })
    const err = 'nothing listens there'
    expectEnd(await cleanup('j.ndjson http://127.0.0.1:1'), 3, { err })
  })

  test('deletes all chats of a killed run', { timeout: 60_000 }, async () => {
    const server = ended(await startReferenceServer())
    const [key = ''] = server.keys
    const { start, ends, at, read } = workplace({ CHATGEN_API_KEY: key })
    const file = 'chatgen-results/journal.ndjson'
    // They upload nothing: the document has no route to delete a file.
    const check = start(`check ${server.url} --profile v3 --only V3-HIST-* --only V3-CHAT-*`)
    while (createdIn(at(file)) < 5) await sleep(5)
    check.child.kill('SIGKILL')
    await check.ended
    expect(readJournal(at(file)).open.length).toBeGreaterThan(0)

    await ends(`cleanup ${file}`, 0, { out: 'deleted or already gone' })
    expect(await chatsOn(server.url, key)).toEqual([])
    expect(read(file)).not.toContain(key)
  })
})

const open = { event: 'create', kind: 'chat', scenario: 's' }

function created(name: string, id: string): object {
  return { ...open, event: 'created', name, id }
}

async function chatServer(options: Parameters<typeof startChatServer>[0] = {}) {
  return ended(await startChatServer(options))
}

/** Runs `chatgen cleanup` in a folder that has this journal. */
function journal(
  { url, key }: Pick<ChatServer, 'url' | 'key'>,
  entries: readonly object[],
  files: Readonly<Record<string, string>> = {},
  head: Parameters<typeof journalOf>[2] = {},
) {
  // The last line of a killed run.
  const cut = '{"event":"cre'
  const { folder } = workplace({}, { 'j.ndjson': journalOf(url, entries, head) + cut, ...files })
  return (line: string, env = {}) =>
    inProcess(`cleanup ${line}`, { CHATGEN_API_KEY: key, ...env }, folder)
}

/** A profile of these endpoints that waits a moment only. */
function settlingAt(...servers: readonly Pick<ChatServer, 'url'>[]) {
  const urls = servers.map(({ url }) => url).join(', ')
  return { 'target.yaml': `baseUrls: [${urls}]\nlimits: { settleMs: 50 }\n` }
}
