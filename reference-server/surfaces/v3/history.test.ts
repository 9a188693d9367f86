import { expect, it } from 'vitest'
import { testServer } from '../../test-support/server.ts'

it('takes no cursor of another list, and none that it did not make', async () => {
  const server = await testServer()
  const [one, other] = [await server.newChat(), await server.newChat()]
  await server.generate({
    chat_id: one,
    input: Array.from({ length: 5 }, () => ({ role: 'user', content: 'Hi' })),
  })
  const { json } = await server.send('GET', `/api/v3/message?chat_id=${one}&limit=1`)
  const forged = Buffer.from(JSON.stringify([`history ${other}`, -4])).toString('base64url')
  for (const cursor of [json.pagination.cursor, forged, 'x', '', '%00']) {
    const answer = await server.send('GET', `/api/v3/message?chat_id=${other}&cursor=${cursor}`)
    expect([answer.status, answer.json.error.code]).toEqual([400, 'invalid_cursor'])
  }
})
