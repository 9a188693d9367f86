// Looked up at each use: a page that shows a run under way renders them again.
const filtersOf = () => document.getElementById('filters')
const rowsOf = () => [...document.querySelectorAll('.row')]
const selectsOf = (form) => [...form.querySelectorAll('select')].map(({ name }) => name)
const boxesOf = (form) => [...form.querySelectorAll('[name=verdict]')]
const textOf = (row) =>
  [row.querySelector('summary'), row.querySelector('.message')]
    .map((part) => part?.textContent.toLowerCase() ?? '')
    .join(' ')

/** Shows the requirements that fit the form; `isAsked`: the reader changed it. */
function filter(isAsked) {
  const form = filtersOf()
  if (!form) return
  form.hidden = false
  const data = new FormData(form)
  const verdicts = data.getAll('verdict')
  const words = data.get('search').toLowerCase().split(/\s+/).filter(Boolean)
  const fits = (row) =>
    verdicts.includes(row.dataset.verdict) &&
    selectsOf(form).every((name) => ['', row.dataset[name]].includes(data.get(name))) &&
    (words.length === 0 || words.every((word) => textOf(row).includes(word)))
  const rows = rowsOf()
  for (const row of rows) row.hidden = !fits(row)
  const shown = rows.filter((row) => !row.hidden).length
  for (const fold of document.querySelectorAll('.passes')) {
    const passes = fold.querySelectorAll('.row:not([hidden])').length
    fold.hidden = passes === 0
    fold.querySelector('.count').textContent = passes
    // Whoever asks for passes, or searches, wants to see them.
    if (isAsked) fold.open = words.length > 0 || verdicts.length < boxesOf(form).length
  }
  for (const group of document.querySelectorAll('.section, .surface')) {
    group.hidden = group.querySelector('.row:not([hidden])') === null
  }
  document.getElementById('shown').textContent = `${shown} of ${rows.length} requirements`
  document.getElementById('none').hidden = shown > 0
  if (isAsked) announce(`${shown} requirements shown`)
}

/** Filters that differ from the default, as verdict=fail,warn&surface=v3; empty for the default. */
function filterState() {
  const form = filtersOf()
  const data = new FormData(form)
  const verdicts = data.getAll('verdict')
  const parts = verdicts.length === boxesOf(form).length ? [] : [`verdict=${verdicts.join(',')}`]
  for (const name of [...selectsOf(form), 'search']) {
    if (data.get(name) !== '') parts.push(`${name}=${encodeURIComponent(data.get(name))}`)
  }
  return parts.join('&')
}

function changed() {
  filter(true)
  history.replaceState(null, '', `#${filterState()}`)
}

function applyState(state) {
  const form = filtersOf()
  const wanted = new URLSearchParams(state)
  const verdicts = wanted.get('verdict')?.split(',')
  for (const box of boxesOf(form)) box.checked = verdicts?.includes(box.value) ?? true
  for (const name of [...selectsOf(form), 'search'])
    form.elements[name].value = wanted.get(name) ?? ''
  filter(true)
}

let announcing
function announce(text) {
  clearTimeout(announcing)
  announcing = setTimeout(() => {
    document.getElementById('status').textContent = text
  }, 300)
}

function openAll(open) {
  if (open) for (const fold of document.querySelectorAll('.passes')) fold.open = true
  for (const row of rowsOf()) if (!row.hidden) row.open = open
}

/** A link leads to filters, or to a requirement, which is shown whatever the filters say. */
function openTarget() {
  const hash = location.hash.slice(1)
  if (!filtersOf()) return
  if (hash.includes('=')) {
    applyState(hash)
    filtersOf().scrollIntoView()
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

function isVisible(row) {
  return !row.hidden && row.closest('.passes')?.open !== false
}

/** The next or previous of these requirements after the focused one. */
function step(list, by) {
  const here = document.activeElement?.closest('.row')
  if (!here) return by > 0 ? list[0] : undefined
  const side = by > 0 ? Node.DOCUMENT_POSITION_FOLLOWING : Node.DOCUMENT_POSITION_PRECEDING
  const ahead = list.filter((row) => here.compareDocumentPosition(row) & side)
  return by > 0 ? ahead[0] : ahead.at(-1)
}

function next(list, by, open) {
  const row = step(list, by) ?? (open ? list[0] : undefined)
  if (!row) return
  if (open) row.open = true
  reveal(row)
}

const keys = {
  '/': ({ elements: { search } }) => {
    search.scrollIntoView({ block: 'center' })
    search.focus()
  },
  j: () => next(rowsOf().filter(isVisible), 1, false),
  k: () => next(rowsOf().filter(isVisible), -1, false),
  n: () =>
    next(
      rowsOf().filter((row) => !row.hidden && row.dataset.verdict === 'fail'),
      1,
      true,
    ),
}

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return
  if (event.target.closest('input:not([type="checkbox"]), select, textarea')) {
    if (event.key === 'Escape') event.target.blur()
    return
  }
  const act = keys[event.key]
  const form = filtersOf()
  if (!act || !form) return
  event.preventDefault()
  act(form)
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
  setTimeout(() => {
    button.textContent = 'Copy'
  }, 2000)
}

const ofFilters = (act) => (event) => {
  if (event.target.closest('form') === filtersOf()) act(event)
}
document.addEventListener('input', ofFilters(changed))
document.addEventListener(
  'reset',
  ofFilters(() => setTimeout(changed)),
)
document.addEventListener(
  'submit',
  ofFilters((event) => event.preventDefault()),
)
document.addEventListener('click', ({ target }) => {
  if (target.closest('.copy')) copy(target.closest('.copy'))
  if (target.closest('#open-all, #close-all')) openAll(target.id === 'open-all')
})
addEventListener('hashchange', openTarget)
filter(false)
openTarget()
