import { describe, expect, test } from 'vitest'
import { bytesOf, eventsOf, exchangeOf } from '../../test-support/reports.ts'
import { chatOf } from './chat.ts'
import { toCurl, toScript } from './curl.ts'

test('toCurl of a request with a JSON body', () => {
  const exchange = exchangeOf({
    headers: [
      ['Idempotency-Key', 'turn 1'],
      ['user-agent', 'chatgen-conformance/0.1.0'],
      ['x-request-id', 'run/v3'],
      ['content-length', '26'],
      ['x-tenant', ''],
    ],
    body: '{"input":"it\'s 你好\\n"}',
  })
  expect(toCurl(exchange)).toMatchInlineSnapshot(`
    "curl -i -X POST http://127.0.0.1:4010/api/v3/message/generate \\
      -H "Authorization: Bearer $CHATGEN_API_KEY" \\
      -H 'content-type: application/json' \\
      -H 'Idempotency-Key: turn 1' \\
      -H 'x-tenant;' \\
      --data-raw '{"input":"it'\\''s 你好\\n"}'"
  `)
})

test('toCurl of a request without a body', () => {
  const exchange = exchangeOf({ method: 'GET', url: 'http://h/api/v3/message?limit=2&cursor=[a]' })
  expect(toCurl(exchange)).toMatchInlineSnapshot(`
    "curl -i -g 'http://h/api/v3/message?limit=2&cursor=[a]' \\
      -H "Authorization: Bearer $CHATGEN_API_KEY""
  `)
})

test('toCurl does not buffer requested or received streams', () => {
  expect(toCurl(exchangeOf({ body: '{"stream":true}', status: 500 }))).toContain('curl -i -N ')
  expect(toCurl(exchangeOf({ body: '{}', events: eventsOf(['response.created', {}]) }))).toContain(
    'curl -i -N ',
  )
  expect(toCurl(exchangeOf({ body: '{"stream":false}' }))).not.toContain('-N')
})

test('toCurl creates a deleted chat again and uses new keys', () => {
  const id = '6670b995-4a43-4d2f-be30-452cf9ecaff5'
  const url = 'http://h/api/v3/chat'
  const created = exchangeOf({ url, body: '{}', answer: `{"id":"${id}"}` })
  const headers = [['Idempotency-Key', id.replace('6', 'a')]] as const
  const exchange = exchangeOf({ id: 'x2', body: `{"chat_id":"${id}"}`, headers })
  const all = new Map([created, exchange].map((one) => [one.id, one]))
  expect(toCurl(exchange, { isCompact: true, chat: chatOf(exchange, all) })).toMatchInlineSnapshot(`
    "CHAT=$(curl -s -X POST http://h/api/v3/chat -H "Authorization: Bearer $CHATGEN_API_KEY" -H 'content-type: application/json' --data-raw '{}' | grep -o '"id": *"[^"]*"' | sed -n 1p | cut -d '"' -f 4)
    curl -i -X POST http://127.0.0.1:4010/api/v3/message/generate -H "Authorization: Bearer $CHATGEN_API_KEY" -H 'content-type: application/json' -H 'Idempotency-Key: '"\${CHAT%????}"'aff5' --data-raw '{"chat_id":"'"$CHAT"'"}'"
  `)
  expect(chatOf(exchange, new Map([['x2', exchange]]))).toBeNull()

  const read = exchangeOf({ id: 'x3', method: 'GET', url: `http://h/api/v3/message?chat_id=${id}` })
  const chat = chatOf(read, new Map(all).set('x3', read))
  expect(toCurl(read, { isCompact: true, chat }).split('\n').slice(1)).toMatchInlineSnapshot(`
    [
      "curl -s -X POST http://127.0.0.1:4010/api/v3/message/generate -H "Authorization: Bearer $CHATGEN_API_KEY" -H 'content-type: application/json' -H 'Idempotency-Key: '"\${CHAT%????}"'aff5' --data-raw '{"chat_id":"'"$CHAT"'"}' > /dev/null",
      "curl -i 'http://h/api/v3/message?chat_id='"$CHAT"'' -H "Authorization: Bearer $CHATGEN_API_KEY"",
    ]
  `)

  const next = exchangeOf({ id: 'x4', body: `{"chat_id":"${id}","parent_id":"resp_0001"}` })
  const { response } = exchangeOf({ answer: '{"id":"resp_0001"}' })
  const first = { ...exchange, response }
  const turn = toCurl(next, { chat: chatOf(next, new Map(all).set('x2', first).set('x4', next)) })
  expect(turn).toContain('\nPARENT_x2=$(curl -s ')
  expect(turn).toContain(`"parent_id":"'"$PARENT_x2"'"`)

  const made = { id: 'data-raw', member: 'id', nth: 1, variable: 'CHAT' }
  expect(toCurl(exchange, { chat: [{ exchange: created, made, isNeeded: true }] })).toContain(
    ' --data-raw ',
  )
})

describe('the credential in a command', () => {
  test.each(
    Object.entries({
      'Bearer [api key]': '"Authorization: Bearer $CHATGEN_API_KEY"',
      'Bearer [native token]': '"Authorization: Bearer $CHATGEN_NATIVE_TOKEN"',
      'Basic [api key]': '"Authorization: Basic $CHATGEN_API_KEY"',
      'Bearer A[api key without its first character]': `"Authorization: Bearer A\${CHATGEN_API_KEY#?}"`,
      'Bearer [api key without its last character]': `"Authorization: Bearer \${CHATGEN_API_KEY%?}"`,
      'Bearer [api key without its last character]x': `"Authorization: Bearer \${CHATGEN_API_KEY%?}x"`,
      'Basic Y2hhdGdlbjp[api key]Q==': `"Authorization: Basic $(printf %s "chatgen:$CHATGEN_API_KEY" | base64 | tr -d '\\n')"`,
      'Basic JCI6[other key]': `"Authorization: Basic $(printf %s "\\$\\":$CHATGEN_OTHER_KEY" | base64 | tr -d '\\n')"`,
      'Bearer ': "'Authorization: Bearer '",
      'Bearer [api key]0': `"Authorization: Bearer \${CHATGEN_API_KEY}0"`,
    }),
  )('for %s is taken from its variable', (authorization, expected) => {
    expect(toCurl(exchangeOf({ authorization, role: 'negative' }))).toContain(`-H ${expected}`)
  })

  test('is omitted if none was sent', () => {
    expect(toCurl(exchangeOf({ authorization: null }))).toContain('-H Authorization:')
  })

  test('is never an unredacted one', () => {
    const secret = exchangeOf({ authorization: 'Bearer sk-secret' })
    expect(toCurl(secret)).toContain('-H "Authorization: Bearer $CHATGEN_API_KEY"')
    for (const [sent, printed] of [
      ['sk-no', 'a-wro'],
      ['sk-wrong-key-01', 'a-wrong-key----'],
    ]) {
      const wrong = exchangeOf({ authorization: `Bearer ${sent}`, role: 'negative' })
      expect(toCurl(wrong)).toContain(`-H "Authorization: Bearer ${printed}"`)
    }
  })
})

describe('a long or binary body in a command', () => {
  test('is piped as base64', () => {
    const exchange = exchangeOf({ body: new Uint8Array([0, 255, 39]), headers: [] })
    expect(toCurl(exchange)).toMatchInlineSnapshot(`
      "echo AP8n | base64 -d | curl -i -X POST http://127.0.0.1:4010/api/v3/message/generate \\
        -H "Authorization: Bearer $CHATGEN_API_KEY" \\
        -H 'content-type: application/json' \\
        --data-binary @-"
    `)
  })

  test('is read from a file if it is long, or from the script', () => {
    const exchange = exchangeOf({ id: 'x7', body: 'a'.repeat(5000) })
    expect(toCurl(exchange)).toContain('--data-binary @x7.body')
    expect(toScript(exchange, null)).toMatch(
      /^#!.*\n: "\$\{CHATGEN_API_KEY:\?.*\nbase64 -d << 'END' \| curl [\s\S]*--data-binary @-\n(YWFh[\w=]*\n)+END\n$/,
    )
  })

  test('is a form with its file piped', () => {
    const body = [
      '--b1',
      'Content-Disposition: form-data; name="chat_id"',
      '',
      "it's; a chat",
      '--b1',
      'Content-Disposition: form-data; name="file"; filename="a;b.txt"',
      'Content-Type: text/plain',
      '',
      'line one\nline two',
      '--b1--',
      '',
    ].join('\r\n')
    expect(toCurl(form(bytesOf(body)))).toMatchInlineSnapshot(`
      "printf %s $'line one\\nline two' | curl -i -X POST http://h/api/v3/attachment \\
        -H Authorization: \\
        --form-string 'chat_id=it'\\''s; a chat' \\
        -F 'file=@-;filename="a;b.txt";type=text/plain'"
    `)
  })

  test('is sent unchanged if it is not a valid form', () => {
    expect(toCurl(form(bytesOf('--b1\r\nbroken')))).toContain("--data-raw $'--b1\\r\\nbroken'")
  })

  function form(body: Uint8Array) {
    const exchange = exchangeOf({ url: 'http://h/api/v3/attachment', body })
    const headers = [['content-type', 'multipart/form-data; boundary=b1'] as const]
    return { ...exchange, request: { ...exchange.request, headers } }
  }
})
