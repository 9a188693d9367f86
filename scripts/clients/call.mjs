// Sends the requests of record-clients.ts with one library: call.mjs LIBRARY BASE TEXT.
const [library, base, text] = process.argv.slice(2)
const body = { model: 'm', messages: [{ role: 'user', content: text }], temperature: 0.5 }
const auth = { Authorization: 'Bearer key' }
const json = { ...auth, 'Content-Type': 'application/json' }

/** Runs in a page as well. */
async function callFetch(fetch, base, body, auth, json) {
  const form = new FormData()
  form.append('name', 'n')
  form.append('file', new File(['text'], 'a.txt', { type: 'text/plain' }))
  const sent = { headers: json, body: JSON.stringify(body) }
  const calls = [
    ['get', { headers: auth }],
    ['delete', { method: 'DELETE', headers: auth }],
    ['empty', { method: 'POST', headers: auth }],
    ['json', { ...sent, method: 'POST' }],
    ['keyed', { ...sent, method: 'POST', headers: { ...json, 'Idempotency-Key': 'idem' } }],
    ['put', { ...sent, method: 'PUT' }],
    ['patch', { ...sent, method: 'PATCH' }],
    ['form', { method: 'POST', headers: auth, body: form }],
  ]
  for (const [name, options] of calls) await (await fetch(`${base}/${name}`, options)).text()
}

if (library === 'fetch') {
  await callFetch(fetch, base, body, auth, json)
  console.log(process.versions.node)
} else if (library === 'openai') {
  const { default: OpenAI } = await import('openai')
  const { VERSION } = await import('openai/version')
  const client = (name) => new OpenAI({ apiKey: 'key', baseURL: `${base}/${name}` })
  await client('get').models.list()
  await client('json').chat.completions.create(body)
  for await (const _ of await client('stream').chat.completions.create({ ...body, stream: true }));
  console.log(VERSION)
} else if (library === 'chromium') {
  const { chromium } = await import('playwright-core')
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--headless=new'],
  })
  const page = await browser.newPage()
  await page.goto(`${base}/page`)
  await page.evaluate(
    ([source, ...args]) => new Function(`return ${source}`)()(fetch, ...args),
    [callFetch.toString(), base, body, auth, json],
  )
  console.log(browser.version())
  await browser.close()
}
