import { expect, test } from 'vitest'
import type { Document } from './document.ts'
import { toHtml } from './html.ts'
import { toMarkdown } from './markdown.ts'
import { toTerminal } from './terminal.ts'

/** A document with each kind of block. */
const sketch: Document = {
  kind: 'Sketch',
  target: 'http://a',
  outcome: { word: 'Missed', tone: 'fail', text: '1 of 2 met' },
  remarks: ['interrupted'],
  numbers: [{ value: '2', name: 'figures', tone: 'none' }],
  facts: [['target: ', [{ code: 'http://a' }, ', v3']]],
  sections: [
    {
      title: 'Limits',
      badge: { word: 'degraded', tone: 'warn' },
      blocks: [
        {
          items: [
            {
              badge: { word: 'missed', tone: 'fail' },
              text: 'a | b',
              notes: [['by ', { code: '|' }]],
            },
            { text: 'plain' },
          ],
        },
        { facts: [['reason: ', 'late']] },
      ],
    },
    {
      title: 'Figures',
      note: 'With intervals.',
      blocks: [
        {
          table: {
            head: ['', 'n', 'p50', 'verdict'],
            rows: [
              ['ttft', '300', { short: '1', long: '1 [0, 2]' }, 'met'],
              ['e2e', 'n/a', { short: '20', long: '20 [1, 30]' }, 'missed'],
            ],
            spare: ['n'],
          },
        },
        { text: 'All of them.' },
      ],
    },
    { title: 'Nothing', blocks: [{ items: [] }, { text: '' }] },
    { title: 'More', detail: 'verbose', blocks: [{ log: ['one line'] }] },
  ],
}

test('a terminal has the outcome first and last, short cells and details on demand only', () => {
  expect(toTerminal(sketch, { color: false, width: 22 })).toMatchInlineSnapshot(`
    "MISSED  1 of 2 met
    interrupted
    target: http://a, v3

    Limits degraded
      missed    a | b
                by |
      plain
      reason: late

    Figures
            p50  verdict
      ttft    1  met
      e2e    20  missed
      Omitted for lack of
      space: n (see the
      JSON file).
      All of them.

    MISSED  1 of 2 met
    "
  `)
  const verbose = toTerminal(sketch, { color: false, width: 80, verbose: true })
  expect(verbose).toContain('More\n  | one line\n')
})

test('Markdown has long cells and collapsed details', () => {
  expect(toMarkdown(sketch)).toMatchInlineSnapshot(`
    "## ❌ Missed (interrupted)

    1 of 2 met

    target: \`http://a\`, v3

    ### Limits: degraded

    - ❌ missed a \\| b  
      by \`|\`
    - plain

    - reason: late

    ### Figures

    With intervals.

    |  | n | p50 | verdict |
    | --- | ---: | ---: | --- |
    | ttft | 300 | 1 \\[0, 2\\] | met |
    | e2e | n/a | 20 \\[1, 30\\] | missed |

    All of them.

    <details><summary>More</summary>

    \`\`\`text
    one line
    \`\`\`

    </details>
    "
  `)
})

test('a page has a section for each title, and no empty one', () => {
  const page = toHtml(sketch)
  expect(page).toContain('<td class="figure">1 [0, 2]</td><td class="word">met</td>')
  expect(page).toContain('<details><summary>More</summary>')
  expect(page.match(/<h2 id="[^"]*"/g)).toEqual(['<h2 id="limits-title"', '<h2 id="figures-title"'])
})
