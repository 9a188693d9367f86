/** Sends a number of streaming requests at once, and reads their answers to the end. */
import { globalAgent, request } from 'node:http'

const [url, key, count] = process.argv.slice(2)
globalAgent.maxSockets = Number.POSITIVE_INFINITY
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
const messages = [{ role: 'user', content: 'Hi [[tokens=150]]' }]
const body = JSON.stringify({ model: 'SVC-Main', stream: true, messages })
for (let at = 0; at < Number(count); at += 1) {
  const options = { method: 'POST', headers }
  request(`${url}/api/openai/chat/completions`, options, (answer) => answer.resume()).end(body)
}
