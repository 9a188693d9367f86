// A client as a program: call.mjs CLIENT URL KEY. Reads a call a line and writes the text of its response as JSON, its version last.
import { createInterface } from 'node:readline'

const [name, url, key] = process.argv.slice(2)
const baseURL = `${url}/api/openai`
const auth = { Authorization: `Bearer ${key}` }

/** Runs in a page as well. */
async function callFetch(fetch, url, auth, { method, path, key, body, form }) {
  const headers = {
    ...auth,
    ...(body && { 'Content-Type': 'application/json' }),
    ...(key && { 'Idempotency-Key': key }),
  }
  const parts = new FormData()
  parts.append('name', 'n')
  parts.append('file', new File(['text'], 'a.txt', { type: 'text/plain' }))
  const sent = form ? parts : body && JSON.stringify(body)
  return (await fetch(`${url}${path}`, { method, headers, body: sent })).text()
}

/** Functions that open a client. */
const clients = {
  async fetch() {
    const send = (call) => callFetch(fetch, url, auth, call)
    return { send, version: process.versions.node }
  },
  async chromium() {
    const { chromium } = await import('playwright-core')
    const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
    const args = ['--no-sandbox', '--headless=new']
    const browser = await chromium.launch({ executablePath, args })
    const page = await browser.newPage()
    await page.goto(`${url}/page`)
    const send = (call) =>
      page.evaluate(
        ([source, ...args]) => new Function(`return ${source}`)()(fetch, ...args),
        [callFetch.toString(), url, auth, call],
      )
    return { send, version: browser.version(), close: () => browser.close() }
  },
  async 'openai-node'() {
    const { default: OpenAI } = await import('openai')
    const { VERSION: version } = await import('openai/version')
    const client = new OpenAI({ apiKey: key, baseURL, maxRetries: 0 })
    async function send({ body }) {
      if (!body) return JSON.stringify(await client.models.list())
      const answer = await client.chat.completions.create(body)
      return body.stream ? join(answer) : JSON.stringify(answer)
    }
    return { send, version }
  },
  async ai() {
    const { generateText, streamText } = await import('ai')
    const { createOpenAICompatible, VERSION: version } = await import('@ai-sdk/openai-compatible')
    const provider = createOpenAICompatible({ name: 'chat', baseURL, apiKey: key })
    async function send({ body }) {
      const { model, messages, temperature, max_tokens: maxOutputTokens, stream } = body
      const instructions = messages[0].role === 'system' ? messages[0].content : undefined
      const others = messages.slice(instructions === undefined ? 0 : 1)
      const common = { model: provider(model), messages: others, instructions, maxRetries: 0 }
      const options = { ...common, temperature, maxOutputTokens }
      const content = stream ? await streamText(options).text : (await generateText(options)).text
      return JSON.stringify({ content })
    }
    return { send, version }
  },
  async langchain() {
    const { ChatOpenAI } = await import('@langchain/openai')
    const options = { with: { type: 'json' } }
    const { default: about } = await import('@langchain/openai/package.json', options)
    async function send({ body }) {
      const { model, messages, temperature, max_tokens: maxTokens, stream } = body
      const fields = { model, temperature, maxTokens, apiKey: key, maxRetries: 0 }
      const chat = new ChatOpenAI({ ...fields, configuration: { baseURL } })
      if (stream) return join(await chat.stream(messages))
      return JSON.stringify({ content: (await chat.invoke(messages)).text })
    }
    return { send, version: about.version }
  },
}

const { send, version, close } = await clients[name]()
for await (const line of createInterface({ input: process.stdin })) {
  const text = await send(JSON.parse(line)).catch((error) => `${error}`)
  console.log(JSON.stringify(text))
}
await close?.()
console.log(JSON.stringify(version))

async function join(parts) {
  let text = ''
  for await (const part of parts) text += JSON.stringify(part)
  return text
}
