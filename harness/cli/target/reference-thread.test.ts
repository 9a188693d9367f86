import { expect, test } from 'vitest'
import { startReferenceThread } from './reference-thread.ts'

test('the server of a thread knows its keys, and is gone once it is closed', async () => {
  const server = await startReferenceThread({ pace: 'ttft=0ms', keys: ['first', 'second'] })
  const statusOf = async (key: string) => {
    const headers = { authorization: `Bearer ${key}`, connection: 'close' }
    return (await fetch(`${server.url}/api/openai/models`, { headers })).status
  }
  expect(await Promise.all(['first', 'second', 'third'].map(statusOf))).toEqual([200, 200, 401])
  await server.close()
  await expect(statusOf('first')).rejects.toThrow('fetch failed')
})

test('a server that cannot start tells why', async () => {
  const starting = startReferenceThread({ pace: 'soon', keys: ['key'] })
  await expect(starting).rejects.toThrow('pace: cannot read "soon"')
})
