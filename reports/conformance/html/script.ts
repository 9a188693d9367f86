/**
 * Filters kept in the URL, search, keys, copying and links to requirements, in plain JavaScript for the
 * page. Without it the page shows all requirements, and each opens by itself.
 */
export const script = `
'use strict'
const form = document.getElementById('filters')
const search = form.elements.search
const rows = [...document.querySelectorAll('.row')].map((element) => ({
  element,
  text: [element.querySelector('summary'), element.querySelector('.message')]
    .map((part) => part?.textContent.toLowerCase() ?? '')
    .join(' '),
}))
const allVerdicts = [...form.querySelectorAll('[name=verdict]')].map(({ value }) => value)

function filter() {
  const data = new FormData(form)
  const verdicts = data.getAll('verdict')
  const words = data.get('search').toLowerCase().split(/\\s+/).filter(Boolean)
  const fits = ({ element, text }) =>
    verdicts.includes(element.dataset.verdict) &&
    ['surface', 'level'].every((name) => ['', element.dataset[name]].includes(data.get(name))) &&
    words.every((word) => text.includes(word))
  let shown = 0
  for (const row of rows) {
    row.element.hidden = !fits(row)
    if (!row.element.hidden) shown += 1
  }
  for (const fold of document.querySelectorAll('.passes')) {
    const passes = fold.querySelectorAll('.row:not([hidden])').length
    fold.hidden = passes === 0
    fold.querySelector('.count').textContent = passes
    // Whoever asks for passes, or searches, wants to see them.
    fold.open = words.length > 0 || verdicts.length < allVerdicts.length
  }
  for (const group of document.querySelectorAll('.section, .surface')) {
    group.hidden = group.querySelector('.row:not([hidden])') === null
  }
  document.getElementById('shown').textContent = shown + ' of ' + rows.length + ' requirements'
  document.getElementById('none').hidden = shown > 0
  announce(shown + ' requirements shown')
}

/** Filters that differ from the default, as verdict=fail,warn&surface=v3; empty for the default. */
function filterState() {
  const data = new FormData(form)
  const verdicts = data.getAll('verdict')
  const parts = verdicts.length === allVerdicts.length ? [] : ['verdict=' + verdicts.join(',')]
  for (const name of ['surface', 'level', 'search']) {
    if (data.get(name) !== '') parts.push(name + '=' + encodeURIComponent(data.get(name)))
  }
  return parts.join('&')
}

function changed() {
  filter()
  history.replaceState(null, '', '#' + filterState())
}

function applyState(state) {
  const wanted = new URLSearchParams(state)
  const verdicts = wanted.get('verdict')?.split(',') ?? allVerdicts
  for (const box of form.querySelectorAll('[name=verdict]')) box.checked = verdicts.includes(box.value)
  for (const name of ['surface', 'level', 'search']) form.elements[name].value = wanted.get(name) ?? ''
  filter()
}

let announcing
function announce(text) {
  clearTimeout(announcing)
  announcing = setTimeout(() => { document.getElementById('status').textContent = text }, 300)
}

function openAll(open) {
  if (open) for (const fold of document.querySelectorAll('.passes')) fold.open = true
  for (const { element } of rows) if (!element.hidden) element.open = open
}

/** A link leads to filters, or to a requirement, which is shown whatever the filters say. */
function openTarget() {
  const hash = location.hash.slice(1)
  if (hash.includes('=')) {
    applyState(hash)
    document.getElementById('requirements').scrollIntoView()
    return
  }
  const row = document.getElementById(decodeURIComponent(hash))
  if (!row?.classList.contains('row')) return
  if (row.hidden) applyState('')
  row.open = true
  reveal(row)
}

function reveal(row) {
  const fold = row.closest('.passes')
  if (fold) fold.open = true
  row.scrollIntoView()
  row.querySelector('summary').focus({ preventScroll: true })
}

function isVisible({ element }) {
  return !element.hidden && element.closest('.passes')?.open !== false
}

/** The next or previous of these requirements after the focused one. */
function step(list, by) {
  const here = document.activeElement?.closest('.row')
  if (!here) return by > 0 ? list[0]?.element : undefined
  const side = by > 0 ? Node.DOCUMENT_POSITION_FOLLOWING : Node.DOCUMENT_POSITION_PRECEDING
  const ahead = list.filter(({ element }) => here.compareDocumentPosition(element) & side)
  return (by > 0 ? ahead[0] : ahead.at(-1))?.element
}

function next(list, by, open) {
  const row = step(list, by) ?? (open ? list[0]?.element : undefined)
  if (!row) return
  if (open) row.open = true
  reveal(row)
}

const keys = {
  '/': () => { search.scrollIntoView({ block: 'center' }); search.focus() },
  j: () => next(rows.filter(isVisible), 1, false),
  k: () => next(rows.filter(isVisible), -1, false),
  n: () => next(rows.filter(({ element }) => !element.hidden && element.dataset.verdict === 'fail'), 1, true),
}

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return
  if (event.target.closest('input:not([type="checkbox"]), select, textarea')) {
    if (event.key === 'Escape') event.target.blur()
    return
  }
  const act = keys[event.key]
  if (!act) return
  event.preventDefault()
  act()
})

async function copy(button) {
  const code = button.closest('.exchange').querySelector('pre')
  try {
    await navigator.clipboard.writeText(code.textContent)
    button.textContent = 'Copied'
    announce('Copied')
  } catch {
    getSelection().selectAllChildren(code)
    button.textContent = 'Selected'
    announce('The command is selected')
  }
  setTimeout(() => { button.textContent = 'Copy' }, 2000)
}

form.hidden = false
form.addEventListener('input', changed)
form.addEventListener('reset', () => setTimeout(changed))
form.addEventListener('submit', (event) => event.preventDefault())
document.getElementById('open-all').addEventListener('click', () => openAll(true))
document.getElementById('close-all').addEventListener('click', () => openAll(false))
document.addEventListener('click', ({ target }) => {
  if (target.closest('.copy')) copy(target.closest('.copy'))
})
addEventListener('hashchange', openTarget)
openTarget()
`
