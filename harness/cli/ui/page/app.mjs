/** The page of `chatgen ui`: draws what the server renders, again at each change, and sends what is clicked. */
import { h, render } from 'preact'

const app = document.getElementById('app')
const token = new URLSearchParams(location.search).get('token')
const query = `?${new URLSearchParams(location.search)}`
let view = { canRun: false, isRunning: false }
let isFirst = true
let isDrawing = false
let isStale = false

/** One drawing at a time; changes during one are drawn together after it. */
async function update() {
  isStale = true
  if (isDrawing) return
  isDrawing = true
  try {
    while (isStale) {
      isStale = false
      const response = await fetch(`/view${query}`)
      if (response.ok) draw(await response.json())
      else tell(await response.text())
    }
  } catch {
    tell(ended)
  } finally {
    isDrawing = false
  }
}

function draw(found) {
  view = found
  const { body } = new DOMParser().parseFromString(view.html, 'text/html')
  render([...body.childNodes].map(nodeOf), app)
  document.title = `${view.title}: chatgen`
  // Functions of the scripts that reports have as well.
  globalThis.drawCharts(view.charts)
  globalThis.filter(false)
  if (isFirst) globalThis.openTarget()
  isFirst = false
}

const ended = 'chatgen has ended. What is shown is the last that it told.'

/** A parsed node for Preact, which changes in the page only what differs: what is open stays open. */
function nodeOf(node) {
  if (node.nodeType === Node.TEXT_NODE) return node.data
  if (node.nodeType !== Node.ELEMENT_NODE || node.localName === 'script') return null
  const attributes = Object.fromEntries(
    [...node.attributes].filter(({ name }) => !name.startsWith('on')).map(propertyOf),
  )
  const children = [...node.childNodes].map(nodeOf)
  children.push(violatedAt(node).map((id) => evidenceOf(node, id)))
  const ids = view.canRun ? idsAt(node) : []
  if (ids.length > 0) children.push(runButton(ids))
  return h(node.localName, { ...attributes, ...(node.id && { key: node.id }) }, ...children)
}

function propertyOf({ name, value, ownerElement }) {
  // Preact would set these again at each drawing; boxes and fields are the reader's.
  if (name === 'checked') return ['defaultChecked', true]
  if (name === 'value' && ownerElement.localName === 'input') return ['defaultValue', value]
  // The load report of a probe, which is a file beside the report.
  const [, probe] = (name === 'href' && /^probes\/(\d+)\//.exec(value)) || []
  if (probe !== undefined) {
    const address = new URLSearchParams(location.search)
    address.set('probe', probe)
    return [name, `?${address}`]
  }
  return [name, ['hidden', 'selected', 'open'].includes(name) ? true : value]
}

/** Requirements of a violation in the list of them. */
function violatedAt(node) {
  if (!node.matches('.items > li:has(> :is(.badge.fail, .badge.warn))')) return []
  const ids = [...node.querySelectorAll('a[href^="#"]')].map(({ hash }) => hash.slice(1))
  return [...new Set(ids)].filter((id) => node.ownerDocument.getElementById(id)?.matches('.row'))
}

/** Evidence of a violation beside it: the exchanges of its row. */
function evidenceOf(entry, id) {
  const row = entry.ownerDocument.getElementById(id)
  const exchanges = [...(row?.querySelectorAll('.exchange') ?? [])]
  if (exchanges.length === 0) return null
  return h('details', { key: id }, h('summary', null, `Evidence of ${id}`), exchanges.map(nodeOf))
}

/** Requirements that a button in this element runs. */
function idsAt(node) {
  if (node.matches('.row > .opened')) return [node.parentElement.id]
  if (!node.matches('.section > h4')) return violatedAt(node)
  return [...node.parentElement.querySelectorAll('.row')].map(({ id }) => id)
}

function runButton(ids) {
  const label = ids.length === 1 ? `Run ${ids[0]}` : `Run these ${ids.length}`
  const props = { type: 'button', class: 'run', 'data-run': ids.join(' '), key: 'run' }
  return h('button', { ...props, 'aria-disabled': view.isRunning ? 'true' : null }, label)
}

function tell(text) {
  const alert = document.getElementById('alert')
  alert.textContent = text
  alert.hidden = text === ''
}

async function post(path, body) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
  tell(response.ok ? '' : await response.text())
}

document.addEventListener('click', ({ target }) => {
  const button = target.closest('[data-run], [data-stop]')
  if (!button || button.getAttribute('aria-disabled') === 'true') return
  const { run } = button.dataset
  if (run === undefined) post('/stop', {})
  else post('/run', { scope: ['all', 'failed'].includes(run) ? run : run.split(' ') })
})

const events = new EventSource(`/events?${new URLSearchParams({ token })}`)
events.addEventListener('message', update)
events.addEventListener('open', () => {
  tell('')
  update()
})
events.addEventListener('error', () => tell(ended))
