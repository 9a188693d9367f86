/**
 * Filters, search, copying and links into rows, in plain JavaScript for the page. Without it the
 * page shows all rows, and each opens by itself.
 */
export const script = `
'use strict'
const form = document.getElementById('filters')
const rows = [...document.querySelectorAll('.row')].map((element) => ({
  element,
  text: [element.querySelector('summary'), element.querySelector('.message')]
    .map((part) => part?.textContent.toLowerCase() ?? '')
    .join(' '),
}))

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
  for (const group of document.querySelectorAll('.section, .surface')) {
    group.hidden = group.querySelector('.row:not([hidden])') === null
  }
  document.getElementById('shown').textContent = shown + ' of ' + rows.length + ' rows'
  document.getElementById('none').hidden = shown > 0
  say(shown + ' rows shown')
}

let saying
function say(text) {
  clearTimeout(saying)
  saying = setTimeout(() => { document.getElementById('status').textContent = text }, 300)
}

function openAll(open) {
  for (const { element } of rows) if (!element.hidden) element.open = open
}

/** A link to a row shows it, whatever the filters say. */
function openTarget() {
  const row = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (!row?.classList.contains('row')) return
  if (row.hidden) {
    form.reset()
    filter()
  }
  row.open = true
  row.scrollIntoView()
  row.querySelector('summary').focus({ preventScroll: true })
}

async function copy(button) {
  const code = button.closest('.exchange').querySelector('pre')
  try {
    await navigator.clipboard.writeText(code.textContent)
    button.textContent = 'Copied'
    say('Copied')
  } catch {
    getSelection().selectAllChildren(code)
    button.textContent = 'Selected'
    say('The command is selected')
  }
  setTimeout(() => { button.textContent = 'Copy' }, 2000)
}

form.hidden = false
form.addEventListener('input', filter)
form.addEventListener('reset', () => setTimeout(filter))
form.addEventListener('submit', (event) => event.preventDefault())
document.getElementById('open-all').addEventListener('click', () => openAll(true))
document.getElementById('close-all').addEventListener('click', () => openAll(false))
document.addEventListener('click', ({ target }) => {
  if (target.closest('.copy')) copy(target.closest('.copy'))
})
addEventListener('hashchange', openTarget)
openTarget()
`
