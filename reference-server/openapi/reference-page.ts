/** The reference page at /docs: one page without scripts or external resources. */
import type { Route } from '../http/call.ts'
import { STATUS_CODES } from '../http/errors.ts'
import { examplesOf, info, operationOf, type Parameter, surface, surfaces } from './document.ts'

export function referencePage(routes: readonly Route[]): string {
  const sections = Object.entries(surfaces).map(([tag, title]) => {
    const details = routes.filter((route) => surface(route) === tag).map(operation)
    return `<section><h2>${escaped(title)}</h2>${details.join('')}</section>`
  })
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escaped(info.title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${style}</style></head>
<body><main><h1>${escaped(info.title)}</h1><p>${escaped(info.description)}
<a href="/openapi.json">OpenAPI 3.1 document</a></p>
<p>Requests below <code>/api</code> need the header <code>Authorization: Bearer KEY</code>.</p>
${sections.join('\n')}</main></body></html>`
}

function operation(route: Route): string {
  const { method, path, summary } = route
  const { request, answer, stream } = examplesOf(route)
  const { operationId, description, parameters, requestBody, responses } = operationOf(route)
  const statuses = Object.keys(responses).map((status) =>
    `${status} ${STATUS_CODES[status] ?? ''}`.trim(),
  )
  const parts = [
    `<p>${escaped(description)}</p>`,
    table(parameters),
    ...Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) =>
      block(`Schema of the body, ${type}`, text(schema)),
    ),
    request === undefined ? '' : block('Example request', curl(route, request)),
    answer === undefined ? '' : block('Example response', text(answer)),
    stream === undefined ? '' : block('Example stream', stream),
    `<p>Responses: ${escaped(statuses.join(', '))}</p>`,
  ]
  return `<details id="${operationId}"><summary><b>${method}</b> <code>${escaped(path)}</code> ${escaped(summary)}</summary>${parts.join('')}</details>`
}

function table(parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return ''
  const rows = parameters.map(({ name, in: place, required, description, schema }) => {
    const need = required ? 'required' : 'optional'
    const cells = [name, `${place}, ${need}`, description ?? JSON.stringify(schema)]
    return `<tr>${cells.map((cell) => `<td>${escaped(cell)}</td>`).join('')}</tr>`
  })
  return `<table>${rows.join('')}</table>`
}

function curl({ method, path, headers }: Route, body: unknown): string {
  const own = Object.keys(headers).map((name) => `  -H "${name}: $(uuidgen)" \\\n`)
  return `curl -N -X ${method} "$URL${path}" \\\n  -H "Authorization: Bearer $CHATGEN_API_KEY" \\\n${own.join('')}  --json '${JSON.stringify(body).replaceAll("'", "'\\''")}'`
}

function block(title: string, content: string): string {
  return `<details><summary>${escaped(title)}</summary><pre tabindex="0">${escaped(content)}</pre></details>`
}

function text(value: unknown): string {
  return JSON.stringify(value, null, 2)
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '"': '&quot;' }

function escaped(plain: string): string {
  return plain.replace(/[&<"]/g, (character) => entities[character] ?? character)
}

const style = `:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:60rem;padding:1rem}
details{border-bottom:1px solid #8886;padding:.4rem 0}details details{border:0;padding-left:1rem}
summary{cursor:pointer;overflow-wrap:anywhere}pre{overflow:auto;max-height:24rem;font-size:.85rem}
table{border-collapse:collapse}td{padding:.2rem 1rem .2rem 0;vertical-align:top;overflow-wrap:anywhere}`
