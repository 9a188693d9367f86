/** Filters kept in the URL, search and keys, in plain JavaScript. Without it the page shows everything. */
export const siteScript = `
'use strict'
const form = document.getElementById('filters')
const search = form.elements.search
const rows = [...document.querySelectorAll('.compared tbody tr')].map((element) => ({
  element,
  text: element.querySelector('th').textContent.toLowerCase(),
}))
const names = ['surface', 'level', 'search', 'differs']

function filter() {
  const data = new FormData(form)
  const words = (data.get('search') ?? '').toLowerCase().split(/\\s+/).filter(Boolean)
  let shown = 0
  for (const { element, text } of rows) {
    const fits =
      ['surface', 'level', 'differs'].every((name) => [null, '', element.dataset[name]].includes(data.get(name))) &&
      words.every((word) => text.includes(word))
    element.hidden = !fits
    if (fits) shown += 1
  }
  document.getElementById('shown').textContent = shown + ' of ' + rows.length + ' requirements'
  document.getElementById('none').hidden = shown > 0
}

function changed() {
  filter()
  const data = new FormData(form)
  const parts = names.filter((name) => data.get(name)).map((name) => name + '=' + encodeURIComponent(data.get(name)))
  history.replaceState(null, '', parts.length === 0 ? '#' : '#' + parts.join('&'))
}

function applyState() {
  const hash = location.hash.slice(1)
  if (!hash.includes('=')) return
  const wanted = new URLSearchParams(hash)
  for (const name of ['surface', 'level', 'search']) form.elements[name].value = wanted.get(name) ?? ''
  form.elements.differs.checked = wanted.get('differs') === 'yes'
  filter()
}

function step(by) {
  const shown = rows.filter(({ element }) => !element.hidden)
  const at = shown.findIndex(({ element }) => element.contains(document.activeElement))
  const next = shown[at < 0 ? 0 : at + by]
  next?.element.querySelector('a')?.focus()
}

const keys = { '/': () => search.focus(), j: () => step(1), k: () => step(-1) }
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return
  if (event.target.closest('input:not([type="checkbox"]), select')) {
    if (event.key === 'Escape') event.target.blur()
    return
  }
  const act = keys[event.key]
  if (!act) return
  event.preventDefault()
  act()
})

form.hidden = false
form.addEventListener('input', changed)
form.addEventListener('reset', () => setTimeout(changed))
form.addEventListener('submit', (event) => event.preventDefault())
addEventListener('hashchange', applyState)
applyState()
`
